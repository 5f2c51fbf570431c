// The form of Grafana's dashboards: `npm run docs` writes them to k8s/monitoring/grafana/generated.

import { DASHBOARDS, type Panel } from "./dashboards.ts";

const COLUMNS = 24;
const SIZES = { stat: { w: 6, h: 4 }, timeseries: { w: 12, h: 8 } };

/** The dashboards' files by their names: the JSON that Grafana 11 and later provision. */
export function dashboardFiles(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(DASHBOARDS).map(([title, panels]) => {
      const text = JSON.stringify(dashboard(title, panels), null, 2);
      return [`${title.toLowerCase()}.json`, `${text}\n`];
    }),
  );
}

function dashboard(title: string, panels: Panel[]): object {
  return {
    uid: `payrail-${title.toLowerCase()}`,
    title: `payrail: ${title}`,
    tags: ["payrail"],
    schemaVersion: 39,
    editable: false,
    refresh: "30s",
    time: { from: "now-3h", to: "now" },
    templating: {
      list: [{ name: "source", label: "Prometheus", type: "datasource", query: "prometheus" }],
    },
    panels: arrange(panels),
  };
}

/** From the left to the right and from the top down; the stats come first. */
function arrange(panels: Panel[]): object[] {
  let [x, y] = [0, 0];
  return panels.map(([title, unit, queries, stat], i) => {
    const type = stat ?? "timeseries";
    const { w, h } = SIZES[type];
    if (x + w > COLUMNS) {
      x = 0;
      y += SIZES[panels[i - 1]?.[3] ?? "timeseries"].h;
    }
    const gridPos = { x, y, w, h };
    x += w;
    return {
      id: i + 1,
      type,
      title,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the dashboard.
      datasource: { type: "prometheus", uid: "${source}" },
      gridPos,
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(([expr, legendFormat], query) => ({
        refId: String.fromCharCode("A".charCodeAt(0) + query),
        expr,
        legendFormat,
      })),
    };
  });
}
