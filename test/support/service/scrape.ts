/** A sample of a Prometheus metric. */
interface Sample {
  labels: Record<string, string>;
  value: number;
}

/** What a process serves at `/metrics`. */
export interface Scrape {
  text: string;
  /** The names of all metrics, also of those without a sample; for a histogram also those of its samples. */
  names: ReadonlySet<string>;
  /** Returns the samples of a metric that have these labels. */
  samples: (name: string, labels?: Record<string, string>) => Sample[];
  /** Returns the value of the only such sample; undefined if there is none, or several. */
  value: (name: string, labels?: Record<string, string>) => number | undefined;
}

/** Reads the metrics of a process in Prometheus' text format. */
export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(`${url}/metrics`);
  if (!response.ok) throw new Error(`GET /metrics answered ${response.status}`);
  const text = await response.text();
  const names = new Set<string>();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''])
      names.add(name + suffix);
  const all = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', is = '']) => [label, is]),
    ),
    value: Number(value),
  }));
  const samples: Scrape['samples'] = (name, wanted = {}) =>
    all
      .filter((sample) => sample.name === name)
      .filter(({ labels }) => Object.entries(wanted).every(([label, value]) => labels[label] === value))
      .map(({ labels, value }) => ({ labels, value }));
  return {
    text,
    names,
    samples,
    value: (name, wanted) => {
      const [first, ...others] = samples(name, wanted);
      return others.length === 0 ? first?.value : undefined;
    },
  };
}
