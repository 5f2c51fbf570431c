// The texts of the checkout page's script. The page carries those of its customer's language and of
// its purpose.

import type { Texts } from "./table.ts";

/** For a page where a customer pays. */
const PAYING = {
  paymentUnknown: {
    en: "We do not know yet whether your payment went through.",
    de: "Wir wissen noch nicht, ob Ihre Zahlung angekommen ist.",
    fr: "Nous ne savons pas encore si votre paiement a abouti.",
    es: "Aún no sabemos si su pago se ha realizado.",
  },
  paymentAgain: {
    en: "Try again to find out. You will not be charged twice.",
    de: "Versuchen Sie es noch einmal, um es zu erfahren. Es wird nicht zweimal abgebucht.",
    fr: "Réessayez pour le savoir. Vous ne serez pas débité deux fois.",
    es: "Inténtelo de nuevo para saberlo. No se le cobrará dos veces.",
  },
  paymentRunning: {
    en: "Your payment is being processed. Please wait.",
    de: "Ihre Zahlung wird bearbeitet. Bitte warten Sie.",
    fr: "Votre paiement est en cours. Veuillez patienter.",
    es: "Su pago se está procesando. Espere, por favor.",
  },
  paymentBusy: {
    en: "Another payment of this link is being processed.",
    de: "Eine andere Zahlung über diesen Link wird gerade bearbeitet.",
    fr: "Un autre paiement de ce lien est en cours.",
    es: "Se está procesando otro pago de este enlace.",
  },
  paidRecently: {
    en: "A payment with this email address was received in the last minutes. You have not been charged again.",
    de: "In den letzten Minuten ist eine Zahlung mit dieser E-Mail-Adresse eingegangen. Es wurde nicht noch einmal abgebucht.",
    fr: "Un paiement avec cette adresse e-mail a été reçu il y a quelques minutes. Vous n’avez pas été débité une seconde fois.",
    es: "Hace unos minutos se recibió un pago con este correo electrónico. No se le ha cobrado otra vez.",
  },
  payAgain: {
    en: "Pay once more",
    de: "Noch einmal zahlen",
    fr: "Payer une nouvelle fois",
    es: "Pagar otra vez",
  },
  paymentFailed: {
    en: "Your payment could not be made.",
    de: "Ihre Zahlung konnte nicht ausgeführt werden.",
    fr: "Votre paiement n’a pas pu être effectué.",
    es: "No se pudo realizar su pago.",
  },
  nothingCharged: {
    en: "You have not been charged.",
    de: "Es wurde nichts abgebucht.",
    fr: "Vous n’avez pas été débité.",
    es: "No se le ha cobrado nada.",
  },

  confirmWithBank: {
    en: "Your bank asks you to confirm the payment. Please do so above.",
    de: "Ihre Bank bittet Sie, die Zahlung zu bestätigen. Bitte tun Sie das oben.",
    fr: "Votre banque vous demande de confirmer le paiement. Veuillez le faire ci-dessus.",
    es: "Su banco le pide que confirme el pago. Hágalo arriba.",
  },

  // Declines, by the reasons of the API (services/payment-links/acquirers/acquirer.ts).
  declined: {
    en: "Your card was declined.",
    de: "Ihre Karte wurde abgelehnt.",
    fr: "Votre carte a été refusée.",
    es: "Su tarjeta ha sido rechazada.",
  },
  insufficient: {
    en: "Your card has insufficient funds.",
    de: "Ihre Karte ist nicht ausreichend gedeckt.",
    fr: "Le solde de votre carte est insuffisant.",
    es: "Su tarjeta no tiene saldo suficiente.",
  },
  cardExpired: {
    en: "Your card has expired.",
    de: "Ihre Karte ist abgelaufen.",
    fr: "Votre carte a expiré.",
    es: "Su tarjeta ha caducado.",
  },
  notCharged: {
    en: "Your card could not be charged.",
    de: "Ihre Karte konnte nicht belastet werden.",
    fr: "Votre carte n’a pas pu être débitée.",
    es: "No se pudo cobrar en su tarjeta.",
  },

  // The end of a checkout.
  paidTitle: {
    en: "Paid: {business}",
    de: "Bezahlt: {business}",
    fr: "Payé\u00a0: {business}",
    es: "Pagado: {business}",
  },
  received: {
    en: "Payment received",
    de: "Zahlung eingegangen",
    fr: "Paiement reçu",
    es: "Pago recibido",
  },
  amount: { en: "Amount", de: "Betrag", fr: "Montant", es: "Importe" },
  refunded: { en: "Refunded", de: "Erstattet", fr: "Remboursé", es: "Reembolsado" },
  paidTo: { en: "Paid to", de: "Empfänger", fr: "Payé à", es: "Pagado a" },
  date: { en: "Date", de: "Datum", fr: "Date", es: "Fecha" },
  print: {
    en: "Print receipt",
    de: "Beleg drucken",
    fr: "Imprimer le reçu",
    es: "Imprimir recibo",
  },
  receiptLink: {
    en: "Link to this receipt",
    de: "Link zu diesem Beleg",
    fr: "Lien vers ce reçu",
    es: "Enlace a este recibo",
  },
} as const satisfies Texts;

/** For a page where a customer saves a card. */
const SAVING = {
  savingUnknown: {
    en: "We do not know yet whether your card was saved.",
    de: "Wir wissen noch nicht, ob Ihre Karte gespeichert wurde.",
    fr: "Nous ne savons pas encore si votre carte a été enregistrée.",
    es: "Aún no sabemos si su tarjeta se ha guardado.",
  },
  savingAgain: {
    en: "Try again to find out. Nothing is done twice.",
    de: "Versuchen Sie es noch einmal, um es zu erfahren. Nichts geschieht zweimal.",
    fr: "Réessayez pour le savoir. Rien n’est fait deux fois.",
    es: "Inténtelo de nuevo para saberlo. Nada se hace dos veces.",
  },
  savingRunning: {
    en: "Your card is being saved. Please wait.",
    de: "Ihre Karte wird gespeichert. Bitte warten Sie.",
    fr: "Votre carte est en cours d’enregistrement. Veuillez patienter.",
    es: "Su tarjeta se está guardando. Espere, por favor.",
  },
  savingBusy: {
    en: "Another card is being saved with this link.",
    de: "Mit diesem Link wird gerade eine andere Karte gespeichert.",
    fr: "Une autre carte est en cours d’enregistrement avec ce lien.",
    es: "Se está guardando otra tarjeta con este enlace.",
  },
  savedRecently: {
    en: "A card was saved with this email address in the last minutes. It has not been saved again.",
    de: "In den letzten Minuten wurde mit dieser E-Mail-Adresse eine Karte gespeichert. Sie wurde nicht noch einmal gespeichert.",
    fr: "Une carte a été enregistrée avec cette adresse e-mail il y a quelques minutes. Elle ne l’a pas été une seconde fois.",
    es: "Hace unos minutos se guardó una tarjeta con este correo electrónico. No se ha guardado otra vez.",
  },
  savingFailed: {
    en: "Your card could not be saved.",
    de: "Ihre Karte konnte nicht gespeichert werden.",
    fr: "Votre carte n’a pas pu être enregistrée.",
    es: "No se pudo guardar su tarjeta.",
  },
  nothingSaved: {
    en: "Nothing was saved or charged.",
    de: "Es wurde nichts gespeichert und nichts abgebucht.",
    fr: "Rien n’a été enregistré ni débité.",
    es: "No se ha guardado ni cobrado nada.",
  },
  with: { en: "With", de: "Bei", fr: "Auprès de", es: "Con" },
  subscribedTitle: {
    en: "Subscribed: {business}",
    de: "Abonniert: {business}",
    fr: "Abonné\u00a0: {business}",
    es: "Suscrito: {business}",
  },
  subscribed: {
    en: "You are subscribed",
    de: "Ihr Abonnement ist eingerichtet",
    fr: "Vous êtes abonné",
    es: "Ya está suscrito",
  },
  // Later the subscription may have ended.
  subscribedBefore: {
    en: "You subscribed on this page",
    de: "Sie haben auf dieser Seite ein Abonnement abgeschlossen",
    fr: "Vous vous êtes abonné sur cette page",
    es: "Se suscribió en esta página",
  },
  manage: {
    en: "See or cancel your subscription",
    de: "Abonnement ansehen oder kündigen",
    fr: "Voir ou résilier votre abonnement",
    es: "Ver o cancelar su suscripción",
  },
  subscribeAgain: {
    en: "Subscribe once more",
    de: "Noch ein Abonnement abschließen",
    fr: "S’abonner une nouvelle fois",
    es: "Suscribirse otra vez",
  },
  savedTitle: {
    en: "Card saved: {business}",
    de: "Karte gespeichert: {business}",
    fr: "Carte enregistrée\u00a0: {business}",
    es: "Tarjeta guardada: {business}",
  },
  saved: {
    en: "Your card is saved",
    de: "Ihre Karte ist gespeichert",
    fr: "Votre carte est enregistrée",
    es: "Su tarjeta está guardada",
  },
  chargedFromNow: {
    en: "It is charged from now on.",
    de: "Sie wird von nun an belastet.",
    fr: "Elle est débitée désormais.",
    es: "Se cobrará en ella a partir de ahora.",
  },
  stillDue: {
    en: "What is due could not be charged to it yet. It will be tried again.",
    de: "Der fällige Betrag konnte noch nicht abgebucht werden. Es wird erneut versucht.",
    fr: "Le montant dû n’a pas encore pu être débité. Une nouvelle tentative aura lieu.",
    es: "Aún no se pudo cobrar lo pendiente. Se volverá a intentar.",
  },
} as const satisfies Texts;

const COMMON = {
  processing: { en: "Processing…", de: "Wird bearbeitet…", fr: "En cours…", es: "Procesando…" },
  tryAgain: {
    en: "Try again",
    de: "Noch einmal versuchen",
    fr: "Réessayer",
    es: "Intentar de nuevo",
  },
  pleaseTryAgain: {
    en: "Please try again.",
    de: "Bitte versuchen Sie es noch einmal.",
    fr: "Veuillez réessayer.",
    es: "Inténtelo de nuevo.",
  },
  tryInAMinute: {
    en: "Please try again in a minute.",
    de: "Bitte versuchen Sie es in einer Minute noch einmal.",
    fr: "Veuillez réessayer dans une minute.",
    es: "Inténtelo de nuevo dentro de un minuto.",
  },
  tryInMinutes: {
    en: "Please try again in {minutes} minutes.",
    de: "Bitte versuchen Sie es in {minutes} Minuten noch einmal.",
    fr: "Veuillez réessayer dans {minutes} minutes.",
    es: "Inténtelo de nuevo dentro de {minutes} minutos.",
  },
  pressAgain: {
    en: "If you mean it once more, press the button again.",
    de: "Wenn Sie das noch einmal möchten, klicken Sie erneut auf die Schaltfläche.",
    fr: "Si vous souhaitez recommencer, appuyez de nouveau sur le bouton.",
    es: "Si quiere hacerlo otra vez, pulse de nuevo el botón.",
  },
  tooMany: {
    en: "There were too many attempts.",
    de: "Es waren zu viele Versuche.",
    fr: "Il y a eu trop de tentatives.",
    es: "Ha habido demasiados intentos.",
  },
  unchecked: {
    en: "Your card could not be checked.",
    de: "Ihre Karte konnte nicht geprüft werden.",
    fr: "Votre carte n’a pas pu être vérifiée.",
    es: "No se pudo comprobar su tarjeta.",
  },
  checkFilled: {
    en: "Please check what you have filled in.",
    de: "Bitte prüfen Sie Ihre Angaben.",
    fr: "Veuillez vérifier votre saisie.",
    es: "Revise los datos que ha introducido.",
  },
  checkThese: {
    en: "Please check what you have filled in:",
    de: "Bitte prüfen Sie diese Angaben:",
    fr: "Veuillez vérifier ces champs\u00a0:",
    es: "Revise estos datos:",
  },
  otherCard: {
    en: "Check the card's details, or pay with another card.",
    de: "Prüfen Sie die Kartendaten, oder zahlen Sie mit einer anderen Karte.",
    fr: "Vérifiez les données de la carte, ou payez avec une autre carte.",
    es: "Compruebe los datos de la tarjeta o pague con otra.",
  },

  // The error of a field, by the id of its input; `missing-…` if it is empty.
  "missing-email": {
    en: "Enter your email address.",
    de: "Geben Sie Ihre E-Mail-Adresse ein.",
    fr: "Saisissez votre adresse e-mail.",
    es: "Introduzca su correo electrónico.",
  },
  "missing-first-name": {
    en: "Enter your first name.",
    de: "Geben Sie Ihren Vornamen ein.",
    fr: "Saisissez votre prénom.",
    es: "Introduzca su nombre.",
  },
  "missing-last-name": {
    en: "Enter your last name.",
    de: "Geben Sie Ihren Nachnamen ein.",
    fr: "Saisissez votre nom.",
    es: "Introduzca sus apellidos.",
  },
  "missing-phone": {
    en: "Enter your phone number.",
    de: "Geben Sie Ihre Telefonnummer ein.",
    fr: "Saisissez votre numéro de téléphone.",
    es: "Introduzca su teléfono.",
  },
  "missing-card-number": {
    en: "Enter your card number.",
    de: "Geben Sie Ihre Kartennummer ein.",
    fr: "Saisissez le numéro de votre carte.",
    es: "Introduzca el número de su tarjeta.",
  },
  "missing-card-expiry": {
    en: "Enter the card's expiry date.",
    de: "Geben Sie ein, bis wann die Karte gültig ist.",
    fr: "Saisissez la date d’expiration de la carte.",
    es: "Introduzca la fecha de caducidad de la tarjeta.",
  },
  "missing-card-cvc": {
    en: "Enter the card's security code.",
    de: "Geben Sie die Prüfnummer der Karte ein.",
    fr: "Saisissez le code de sécurité de la carte.",
    es: "Introduzca el código de seguridad de la tarjeta.",
  },
  "missing-postcode": {
    en: "Enter the postcode of the card's bill.",
    de: "Geben Sie die Postleitzahl der Kartenrechnung ein.",
    fr: "Saisissez le code postal de facturation de la carte.",
    es: "Introduzca el código postal de facturación de la tarjeta.",
  },
  email: {
    en: "Enter an email address, such as ada@example.com.",
    de: "Geben Sie eine E-Mail-Adresse ein, etwa ada@example.com.",
    fr: "Saisissez une adresse e-mail, par exemple ada@example.com.",
    es: "Introduzca un correo electrónico, como ada@example.com.",
  },
  "first-name": {
    en: "Enter your first name, at most 128 characters.",
    de: "Geben Sie Ihren Vornamen ein, höchstens 128 Zeichen.",
    fr: "Saisissez votre prénom, 128 caractères au plus.",
    es: "Introduzca su nombre, como máximo 128 caracteres.",
  },
  "last-name": {
    en: "Enter your last name, at most 128 characters.",
    de: "Geben Sie Ihren Nachnamen ein, höchstens 128 Zeichen.",
    fr: "Saisissez votre nom, 128 caractères au plus.",
    es: "Introduzca sus apellidos, como máximo 128 caracteres.",
  },
  phone: {
    en: "Enter a phone number, such as +1 555 0100.",
    de: "Geben Sie eine Telefonnummer ein, etwa +49 30 901820.",
    fr: "Saisissez un numéro de téléphone, par exemple +33 1 99 00 12 34.",
    es: "Introduzca un teléfono, como +34 600 000 000.",
  },
  "card-number": {
    en: "Enter a valid card number.",
    de: "Geben Sie eine gültige Kartennummer ein.",
    fr: "Saisissez un numéro de carte valide.",
    es: "Introduzca un número de tarjeta válido.",
  },
  // Of a date that only the server refuses; the next two are for those that the page refuses.
  "card-expiry": {
    en: "Enter a date in the future, such as 12 / 30.",
    de: "Geben Sie ein künftiges Datum ein, etwa 12 / 30.",
    fr: "Saisissez une date future, par exemple 12 / 30.",
    es: "Introduzca una fecha futura, como 12 / 30.",
  },
  ownField: {
    en: "Please check this field: {name}.",
    de: "Bitte prüfen Sie dieses Feld: {name}.",
    fr: "Veuillez vérifier ce champ\u00a0: {name}.",
    es: "Revise este campo: {name}.",
  },
  expiryForm: {
    en: "Enter the expiry date as month and year, such as 12 / 30.",
    de: "Geben Sie Monat und Jahr ein, etwa 12 / 30.",
    fr: "Saisissez le mois et l’année, par exemple 12 / 30.",
    es: "Introduzca el mes y el año, como 12 / 30.",
  },
  expiryPast: {
    en: "This card has expired.",
    de: "Diese Karte ist abgelaufen.",
    fr: "Cette carte a expiré.",
    es: "Esta tarjeta ha caducado.",
  },
  "card-cvc": {
    en: "Enter the 3 or 4 digits of the security code.",
    de: "Geben Sie die 3 oder 4 Ziffern der Prüfnummer ein.",
    fr: "Saisissez les 3 ou 4 chiffres du code de sécurité.",
    es: "Introduzca los 3 o 4 dígitos del código de seguridad.",
  },
  card: { en: "Card", de: "Karte", fr: "Carte", es: "Tarjeta" },
  reference: { en: "Reference", de: "Referenz", fr: "Référence", es: "Referencia" },
  continueTo: {
    en: "Continue to {host}",
    de: "Weiter zu {host}",
    fr: "Continuer vers {host}",
    es: "Continuar a {host}",
  },
  takenSoon: {
    en: "You are taken to {host} in a moment.",
    de: "Sie werden gleich zu {host} weitergeleitet.",
    fr: "Vous serez redirigé vers {host} dans un instant.",
    es: "En un momento será redirigido a {host}.",
  },
  mayClose: {
    en: "You may close this page.",
    de: "Sie können diese Seite schließen.",
    fr: "Vous pouvez fermer cette page.",
    es: "Puede cerrar esta página.",
  },
  lookingUp: {
    en: "Looking up your payment",
    de: "Ihre Zahlung wird gesucht",
    fr: "Recherche de votre paiement",
    es: "Buscando su pago",
  },
  underWay: {
    en: "Your payment is being processed",
    de: "Ihre Zahlung wird bearbeitet",
    fr: "Votre paiement est en cours",
    es: "Su pago se está procesando",
  },
  underWayText: {
    en: "This can take some minutes. You may close this page: opened again at this address, it shows how it ended.",
    de: "Das kann einige Minuten dauern. Sie können diese Seite schließen: Unter derselben Adresse zeigt sie später, wie es ausging.",
    fr: "Cela peut prendre quelques minutes. Vous pouvez fermer cette page\u00a0: rouverte à cette adresse, elle indiquera le résultat.",
    es: "Puede tardar unos minutos. Puede cerrar esta página: si la abre de nuevo en esta dirección, mostrará el resultado.",
  },
} as const satisfies Texts;

export const SCRIPT_TEXTS = { ...COMMON, ...PAYING, ...SAVING };
/** The texts by the purpose of the page. */
export const TEXTS_OF = { pay: { ...COMMON, ...PAYING }, save: { ...COMMON, ...SAVING } };
