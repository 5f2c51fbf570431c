// The texts of a checkout page that takes no payment: for a link that is unknown, used or over.

import type { Texts } from "./table.ts";

export const NOTICE_TEXTS = {
  notFound: {
    en: "This payment link does not exist",
    de: "Diesen Zahlungslink gibt es nicht",
    fr: "Ce lien de paiement n’existe pas",
    es: "Este enlace de pago no existe",
  },
  notFoundText: {
    en: "Check that the address is complete, or ask the sender for a new one.",
    de: "Prüfen Sie, ob die Adresse vollständig ist, oder bitten Sie den Absender um eine neue.",
    fr: "Vérifiez que l’adresse est complète, ou demandez-en une nouvelle à l’expéditeur.",
    es: "Compruebe que la dirección esté completa o pida una nueva a quien se la envió.",
  },
  unavailable: {
    en: "This page is not available right now",
    de: "Diese Seite ist gerade nicht erreichbar",
    fr: "Cette page n’est pas disponible pour le moment",
    es: "Esta página no está disponible en este momento",
  },
  unavailableText: {
    en: "Opening it charges nothing. Please try again in a moment.",
    de: "Beim Öffnen wird nichts abgebucht. Bitte versuchen Sie es gleich noch einmal.",
    fr: "Son ouverture ne débite rien. Veuillez réessayer dans un instant.",
    es: "Abrirla no cobra nada. Inténtelo de nuevo en un momento.",
  },
  tryAgain: {
    en: "Try again",
    de: "Noch einmal versuchen",
    fr: "Réessayer",
    es: "Intentar de nuevo",
  },

  expired: {
    en: "This link has expired",
    de: "Dieser Link ist abgelaufen",
    fr: "Ce lien a expiré",
    es: "Este enlace ha caducado",
  },
  disabled: {
    en: "This link is no longer valid",
    de: "Dieser Link gilt nicht mehr",
    fr: "Ce lien n’est plus valable",
    es: "Este enlace ya no es válido",
  },
  paused: {
    en: "This link takes no payments at the moment",
    de: "Über diesen Link kann zurzeit nicht bezahlt werden",
    fr: "Ce lien n’accepte pas de paiements pour le moment",
    es: "Este enlace no acepta pagos en este momento",
  },
  pausedText: {
    en: "Nothing is charged. Please try again later, or ask {business}.",
    de: "Es wird nichts abgebucht. Bitte versuchen Sie es später noch einmal, oder fragen Sie {business}.",
    fr: "Rien n’est débité. Veuillez réessayer plus tard, ou vous adresser à {business}.",
    es: "No se cobra nada. Inténtelo más tarde o pregunte a {business}.",
  },
  overForPaying: {
    en: "It cannot be paid any more, and nothing is charged. {business} can send you a new one.",
    de: "Er kann nicht mehr bezahlt werden, und es wird nichts abgebucht. {business} kann Ihnen einen neuen schicken.",
    fr: "Il ne peut plus être payé, et rien n’est débité. {business} peut vous en envoyer un nouveau.",
    es: "Ya no se puede pagar y no se cobra nada. {business} puede enviarle uno nuevo.",
  },
  overForSaving: {
    en: "No card is saved with it any more. {business} can send you a new one.",
    de: "Mit ihm wird keine Karte mehr gespeichert. {business} kann Ihnen einen neuen schicken.",
    fr: "Il n’enregistre plus de carte. {business} peut vous en envoyer un nouveau.",
    es: "Ya no guarda ninguna tarjeta. {business} puede enviarle uno nuevo.",
  },
  noCards: {
    en: "Cards cannot be taken on this page",
    de: "Auf dieser Seite können keine Karten angenommen werden",
    fr: "Cette page ne peut pas accepter de carte",
    es: "En esta página no se aceptan tarjetas",
  },
  noCardsText: {
    en: "You have not been charged. Please ask {business} how to pay.",
    de: "Es wurde nichts abgebucht. Bitte fragen Sie {business}, wie Sie zahlen können.",
    fr: "Vous n’avez pas été débité. Demandez à {business} comment payer.",
    es: "No se le ha cobrado nada. Pregunte a {business} cómo pagar.",
  },

  paid: {
    en: "This has already been paid",
    de: "Das ist schon bezahlt",
    fr: "C’est déjà payé",
    es: "Esto ya está pagado",
  },
  paidText: {
    en: "Everything is settled and there is nothing left to do. Thank you! For a receipt, ask {business}.",
    de: "Alles ist beglichen, es ist nichts mehr zu tun. Vielen Dank! Einen Beleg bekommen Sie von {business}.",
    fr: "Tout est réglé, il n’y a plus rien à faire. Merci\u00a0! Pour un reçu, demandez à {business}.",
    es: "Todo está pagado y no queda nada por hacer. ¡Gracias! Si necesita un recibo, pídaselo a {business}.",
  },
  subscribed: {
    en: "This subscription is already set up",
    de: "Dieses Abonnement ist schon eingerichtet",
    fr: "Cet abonnement est déjà en place",
    es: "Esta suscripción ya está activa",
  },
  subscribedText: {
    en: "The link was for one subscription, and there is nothing left to do. Thank you!",
    de: "Der Link war für ein Abonnement, es ist nichts mehr zu tun. Vielen Dank!",
    fr: "Le lien était prévu pour un seul abonnement, il n’y a plus rien à faire. Merci\u00a0!",
    es: "El enlace era para una sola suscripción y no queda nada por hacer. ¡Gracias!",
  },
  saved: {
    en: "Your card is already saved",
    de: "Ihre Karte ist schon gespeichert",
    fr: "Votre carte est déjà enregistrée",
    es: "Su tarjeta ya está guardada",
  },
  savedText: {
    en: "The link was for saving one card, and there is nothing left to do. Thank you!",
    de: "Der Link war zum Speichern einer Karte, es ist nichts mehr zu tun. Vielen Dank!",
    fr: "Le lien servait à enregistrer une seule carte, il n’y a plus rien à faire. Merci\u00a0!",
    es: "El enlace era para guardar una sola tarjeta y no queda nada por hacer. ¡Gracias!",
  },
} as const satisfies Texts;
