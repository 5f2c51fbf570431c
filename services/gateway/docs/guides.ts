// Renders the guides: pages of docs/integrate as HTML. A link to a page that is not listed here
// becomes plain text. Blocks of code that follow one another in different languages become tabs.

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import GithubSlugger from "github-slugger";
import { Marked, type Tokens } from "marked";

/** The pages by the names of their files, in the order in which a newcomer reads them. */
export const GROUPS = [
  { title: "Begin", slugs: ["concepts", "setup"] },
  {
    title: "Guides",
    slugs: [
      "first-payout",
      "pay-your-sellers",
      "sell-by-a-link",
      "subscriptions",
      "close-the-day",
      "production",
    ],
  },
  {
    title: "In detail",
    slugs: [
      "withdrawals",
      "limits",
      "authentication",
      "linked-accounts",
      "bank-files",
      "payment-links",
      "billing",
      "webhooks",
      "console",
      "heads",
      "personal-data",
      "errors",
      "rest-api",
      "generated-clients",
    ],
  },
];

export const SLUGS = GROUPS.flatMap(({ slugs }) => slugs);

/** The languages that become tabs, and the names of the tabs. */
const TABS: Record<string, string> = { sh: "curl", js: "Node", python: "Python" };

const FOLDER = join(import.meta.dirname, "..", "..", "..", "docs", "integrate");

export interface Guide {
  /** The page's part of the path. */
  slug: string;
  title: string;
  html: string;
  sections: Section[];
}

/** A heading, with the text up to the next one. */
export interface Section {
  /** The heading's id in the page, as GitHub makes it. */
  id: string;
  depth: number;
  title: string;
  text: string;
}

let rendered: Guide[] | undefined;

/** All guides. The first call renders them, because a gateway starts faster without that work. */
export function renderGuides(): Guide[] {
  rendered ??= SLUGS.map((slug) => render(slug, readFileSync(join(FOLDER, `${slug}.md`), "utf8")));
  return rendered;
}

function render(slug: string, source: string): Guide {
  const slugger = new GithubSlugger();
  const sections: Section[] = [];
  const ids = new Map<unknown, string>();
  const marked = new Marked({
    renderer: {
      heading(heading: Tokens.Heading) {
        const { depth, tokens } = heading;
        return `<h${depth} id="${ids.get(heading)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens);
        const to = resolveLink(href);
        return to === null ? text : `<a href="${to}">${text}</a>`;
      },
      image: ({ href, text }: Tokens.Image) => `<img src="/docs/${basename(href)}" alt="${text}">`,
    },
  });
  const tokens = marked.lexer(source);
  for (const token of tokens) {
    if (token.type === "heading") {
      const { text, depth } = token as Tokens.Heading;
      const title = plain(text);
      const id = slugger.slug(title);
      ids.set(token, id);
      sections.push({ id, depth, title, text: "" });
    } else {
      const section = sections.at(-1);
      if (section) section.text += plain(token.raw);
    }
  }
  const html = withTabs(marked.parser(tokens))
    // A drawing and a wide table scroll alone. The keyboard has to reach a part that scrolls.
    .replaceAll("<pre><code>", '<pre class="drawing" tabindex="0"><code>')
    .replaceAll("<table>", '<div class="wide" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
  return { slug, title: sections[0]?.title ?? slug, html, sections };
}

/** Blocks that follow one another, each in another language of the tabs, as one group. */
function withTabs(html: string): string {
  const block = /<pre><code class="language-(\w+)">(?:(?!<pre>).)*?<\/pre>\s*/gs;
  const run = new RegExp(`(?:${block.source}){2,}`, "gs");
  return html.replaceAll(run, (blocks) => {
    const each = [...blocks.matchAll(block)];
    const names = each.map(([, language = ""]) => TABS[language]);
    const isGroup = new Set(names).size === each.length && !names.includes(undefined);
    if (!isGroup) return blocks;
    const figures = each.map(
      ([pre], i) => `<figure><figcaption>${names[i]}</figcaption>${pre.trim()}</figure>`,
    );
    return `<div class="tabs">${figures.join("")}</div>\n`;
  });
}

/** A text without the marks of Markdown, for a search. */
function plain(markdown: string): string {
  return markdown.replaceAll(/\]\([^)]*\)|[`*[\]|]/g, "");
}

/** The address of a link in a page of the folder; null for a page that is not served. */
function resolveLink(href: string): string | null {
  const [, page, fragment = ""] = /^([^#:]*)\.md(#.*)?$/.exec(href) ?? [];
  if (page === undefined) return href;
  return SLUGS.includes(page) ? `/docs/${page}${fragment}` : null;
}
