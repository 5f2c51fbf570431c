// The texts of the subscriber's own page.

import type { Texts } from "./table.ts";

export const SUBSCRIBER_TEXTS = {
  subscriberTitle: {
    en: "Your subscription: {business}",
    de: "Ihr Abonnement: {business}",
    fr: "Votre abonnement\u00a0: {business}",
    es: "Su suscripción: {business}",
  },
  renews: {
    en: "It renews {every}, until you cancel it.",
    de: "Es verlängert sich {every}, bis Sie es kündigen.",
    fr: "Il se renouvelle {every}, jusqu’à ce que vous le résiliiez.",
    es: "Se renueva {every}, hasta que la cancele.",
  },
  ending: {
    en: "It is cancelled. It ends on {date} and does not renew.",
    de: "Es ist gekündigt. Es endet am {date} und verlängert sich nicht.",
    fr: "Il est résilié. Il prend fin le {date} et ne se renouvelle pas.",
    es: "Está cancelada. Termina el {date} y no se renueva.",
  },
  endingUnpaid: {
    en: "It is cancelled and does not renew.",
    de: "Es ist gekündigt und verlängert sich nicht.",
    fr: "Il est résilié et ne se renouvelle pas.",
    es: "Está cancelada y no se renueva.",
  },
  ended: {
    en: "It ended on {date}.",
    de: "Es endete am {date}.",
    fr: "Il a pris fin le {date}.",
    es: "Terminó el {date}.",
  },
  unpaid: {
    en: "The last payment did not go through. It will be tried again.",
    de: "Die letzte Zahlung ist fehlgeschlagen. Es wird erneut versucht.",
    fr: "Le dernier paiement n’a pas abouti. Il sera tenté de nouveau.",
    es: "El último pago no se realizó. Se volverá a intentar.",
  },
  status: { en: "Status", de: "Status", fr: "État", es: "Estado" },
  trialing: {
    en: "Not begun yet",
    de: "Noch nicht begonnen",
    fr: "Pas commencé",
    es: "Sin empezar",
  },
  active: { en: "Active", de: "Aktiv", fr: "Actif", es: "Activa" },
  past_due: { en: "Payment due", de: "Zahlung offen", fr: "Paiement dû", es: "Pago pendiente" },
  cancelled: { en: "Ended", de: "Beendet", fr: "Terminé", es: "Terminada" },
  nextPayment: {
    en: "Next payment",
    de: "Nächste Zahlung",
    fr: "Prochain paiement",
    es: "Próximo pago",
  },
  amountOn: {
    en: "{amount} on {date}",
    de: "{amount} am {date}",
    fr: "{amount} le {date}",
    es: "{amount} el {date}",
  },
  reference: { en: "Reference", de: "Referenz", fr: "Référence", es: "Referencia" },
  cancel: {
    en: "Cancel subscription",
    de: "Abonnement kündigen",
    fr: "Résilier l’abonnement",
    es: "Cancelar la suscripción",
  },
  cancelQuestion: {
    en: "Cancel your subscription?",
    de: "Möchten Sie Ihr Abonnement kündigen?",
    fr: "Résilier votre abonnement\u00a0?",
    es: "¿Cancelar su suscripción?",
  },
  cancelText: {
    en: "It runs until {date}, ends then, and does not renew.",
    de: "Es läuft bis zum {date}, endet dann und verlängert sich nicht.",
    fr: "Il court jusqu’au {date}, prend alors fin et ne se renouvelle pas.",
    es: "Sigue hasta el {date}, termina entonces y no se renueva.",
  },
  usageDue: {
    en: "What you use until then will still be charged.",
    de: "Was Sie bis dahin verbrauchen, wird noch abgebucht.",
    fr: "Ce que vous utilisez d’ici là sera encore débité.",
    es: "Lo que use hasta entonces todavía se cobrará.",
  },
  keep: {
    en: "Keep it",
    de: "Nicht kündigen",
    fr: "Le conserver",
    es: "Mantenerla",
  },
  noSubscription: {
    en: "This page does not exist",
    de: "Diese Seite gibt es nicht",
    fr: "Cette page n’existe pas",
    es: "Esta página no existe",
  },
} as const satisfies Texts;
