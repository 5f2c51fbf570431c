// The merchant's colours for the page, in a light and a dark scheme. The text colour is chosen by
// contrast, so that it is readable on any of them (WCAG 2.2, 1.4.3: at least 4.5 to 1). Only
// `#rrggbb` gets into the style. The merchant's own page colour is the same in both schemes.

export interface Branding {
  primaryColor: string | null;
  backgroundColor: string | null;
}

/** The page's own colours in a scheme; `panel` and `ink` are those of checkout.css. */
interface Scheme {
  page: string;
  /** Behind a logo: most logos are made for light pages and would not be seen on our dark one. */
  logo: string;
  panel: string;
  ink: string;
  accent: string;
}

const WHITE = "#ffffff";
const BLACK = "#000000";
/** The page's own dark text. */
const INK = "#16191f";
const LIGHT: Scheme = {
  page: "#f3f4f7",
  logo: "transparent",
  panel: WHITE,
  ink: INK,
  accent: "#2446c8",
};
const DARK: Scheme = {
  page: "#0f1218",
  logo: WHITE,
  panel: "#1b2029",
  ink: "#f1f3f7",
  accent: "#8ea6ff",
};
const TEXT_CONTRAST = 4.5;
/** For parts that are not text, such as a button's edge (WCAG 2.2, 1.4.11). */
const EDGE_CONTRAST = 3;
/** Tried from the faintest to the strongest. */
const FADES = [0.35, 0.25, 0.15];

/** The page's custom properties, as a style sheet. */
export function colourProperties(branding: Branding): string {
  const [light, dark] = [LIGHT, DARK].map((scheme) => `:root{${properties(branding, scheme)}}`);
  return `${light}@media (prefers-color-scheme:dark){${dark}}`;
}

function properties(branding: Branding, scheme: Scheme): string {
  const own = checked(branding.backgroundColor);
  const page = own ?? scheme.page;
  const onPage = readable(page);
  const { accent, onAccent } = accentColours(branding, scheme);
  const isVisible = contrast(accent, scheme.panel) >= EDGE_CONTRAST;
  const named = {
    page,
    logo: own === null ? scheme.logo : "transparent",
    "on-page": onPage,
    "muted-on-page": muted(onPage, page),
    accent,
    "on-accent": onAccent,
    "accent-edge": isVisible ? accent : scheme.ink,
  };
  const lines = Object.entries(named).map(([name, value]) => `--${name}:${value}`);
  return lines.join(";");
}

/** The merchant's colour of buttons, and the text colour on it. */
export function accentColours({ primaryColor }: Branding, { accent: ours } = LIGHT) {
  const accent = checked(primaryColor) ?? ours;
  return { accent, onAccent: readable(accent) };
}

function checked(colour: string | null): string | null {
  return colour !== null && /^#[0-9a-f]{6}$/i.test(colour) ? colour.toLowerCase() : null;
}

/** The text colour for a background: black or white always has the contrast, ours looks better. */
function readable(background: string): string {
  const candidates = [INK, WHITE, BLACK];
  const found = candidates.find((text) => contrast(text, background) >= TEXT_CONTRAST);
  return found as string;
}

/** The text's colour, as near to the background as stays readable. */
function muted(text: string, background: string): string {
  const mixes = FADES.map((share) => mix(text, background, share));
  return mixes.find((each) => contrast(each, background) >= TEXT_CONTRAST) ?? text;
}

function mix(one: string, other: string, share: number): string {
  const others = channels(other);
  const mixed = channels(one).map((value, i) => {
    return Math.round(value + ((others[i] as number) - value) * share);
  });
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** The contrast of two colours, from 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return ((light as number) + 0.05) / ((dark as number) + 0.05);
}

/** WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
