// The texts of the checkout page's form.

import type { Texts } from "./table.ts";

export const FORM_TEXTS = {
  yourDetails: { en: "Your details", de: "Ihre Angaben", fr: "Vos coordonnées", es: "Sus datos" },
  shippingAddress: {
    en: "Shipping address",
    de: "Lieferadresse",
    fr: "Adresse de livraison",
    es: "Dirección de envío",
  },
  street: {
    en: "Street and number",
    de: "Straße und Hausnummer",
    fr: "Numéro et rue",
    es: "Calle y número",
  },
  apartment: {
    en: "Apartment, floor",
    de: "Wohnung, Stockwerk",
    fr: "Appartement, étage",
    es: "Piso, puerta",
  },
  postalCode: { en: "Postcode", de: "Postleitzahl", fr: "Code postal", es: "Código postal" },
  city: { en: "Town or city", de: "Ort", fr: "Ville", es: "Localidad" },
  region: { en: "State or region", de: "Bundesland", fr: "Région", es: "Provincia" },
  country: { en: "Country", de: "Land", fr: "Pays", es: "País" },
  card: { en: "Card", de: "Karte", fr: "Carte", es: "Tarjeta" },
  optional: { en: "(optional)", de: "(freiwillig)", fr: "(facultatif)", es: "(opcional)" },
  email: { en: "Email", de: "E-Mail", fr: "E-mail", es: "Correo electrónico" },
  firstName: { en: "First name", de: "Vorname", fr: "Prénom", es: "Nombre" },
  lastName: { en: "Last name", de: "Nachname", fr: "Nom", es: "Apellidos" },
  phone: { en: "Phone number", de: "Telefonnummer", fr: "Téléphone", es: "Teléfono" },
  cardNumber: {
    en: "Card number",
    de: "Kartennummer",
    fr: "Numéro de carte",
    es: "Número de tarjeta",
  },
  expiry: {
    en: "Expiry date",
    de: "Gültig bis",
    fr: "Date d’expiration",
    es: "Fecha de caducidad",
  },
  expiryForm: { en: "MM / YY", de: "MM / JJ", fr: "MM / AA", es: "MM / AA" },
  cvc: {
    en: "Security code",
    de: "Prüfnummer",
    fr: "Code de sécurité",
    es: "Código de seguridad",
  },
  postcode: {
    en: "Postcode of the card's bill",
    de: "Postleitzahl der Kartenrechnung",
    fr: "Code postal de facturation",
    es: "Código postal de facturación",
  },
  cardDetails: {
    en: "Card details",
    de: "Kartendaten",
    fr: "Données de la carte",
    es: "Datos de la tarjeta",
  },
  scriptsNeeded: {
    en: "A script keeps your card details apart from the rest. Please allow scripts on this page.",
    de: "Ein Skript hält Ihre Kartendaten vom Rest getrennt. Bitte erlauben Sie Skripte auf dieser Seite.",
    fr: "Un script sépare les données de votre carte du reste. Veuillez autoriser les scripts sur cette page.",
    es: "Un script mantiene los datos de su tarjeta separados del resto. Permita los scripts en esta página.",
  },
  vaultNote: {
    en: "Your card details go straight to a card vault. {business} never sees them.",
    de: "Ihre Kartendaten gehen direkt an einen Kartentresor. {business} sieht sie nie.",
    fr: "Les données de votre carte vont directement dans un coffre-fort de cartes. {business} ne les voit jamais.",
    es: "Los datos de su tarjeta van directamente a una bóveda de tarjetas. {business} nunca los ve.",
  },
  testNote: {
    en: "Test mode: no card is charged. Try {number} with any date to come and any code.",
    de: "Testmodus: Keine Karte wird belastet. Versuchen Sie {number} mit einem künftigen Datum und einer beliebigen Prüfnummer.",
    fr: "Mode test\u00a0: aucune carte n’est débitée. Essayez {number} avec une date future et un code quelconque.",
    es: "Modo de prueba: no se cobra en ninguna tarjeta. Pruebe {number} con una fecha futura y cualquier código.",
  },
} as const satisfies Texts;
