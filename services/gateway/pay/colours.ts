// The merchant's colours for the page. The text colour is chosen by contrast, so that it is
// readable on any of them (WCAG 2.2, 1.4.3: at least 4.5 to 1). Only `#rrggbb` gets into the style.

interface Branding {
  primaryColor: string | null;
  backgroundColor: string | null;
}

const DEFAULT_BACKGROUND = "#f3f4f7";
const DEFAULT_PRIMARY = "#2446c8";
const WHITE = "#ffffff";
const BLACK = "#000000";
/** The page's own dark text. */
const INK = "#16191f";
const TEXT_CONTRAST = 4.5;
/** For parts that are not text, such as a button's edge (WCAG 2.2, 1.4.11). */
const EDGE_CONTRAST = 3;
/** Tried from the faintest to the strongest. */
const FADES = [0.35, 0.25, 0.15];

/** The page's custom properties, as a style sheet. */
export function colourProperties({ primaryColor, backgroundColor }: Branding): string {
  const page = checked(backgroundColor) ?? DEFAULT_BACKGROUND;
  const onPage = readable(page);
  const accent = checked(primaryColor) ?? DEFAULT_PRIMARY;
  const isVisible = contrast(accent, WHITE) >= EDGE_CONTRAST;
  const properties = {
    page,
    "on-page": onPage,
    "muted-on-page": muted(onPage, page),
    accent,
    "on-accent": readable(accent),
    "accent-edge": isVisible ? accent : INK,
  };
  const lines = Object.entries(properties).map(([name, value]) => `--${name}:${value}`);
  return `:root{${lines.join(";")}}`;
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
