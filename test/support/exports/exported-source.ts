/** A source to connect: its files by name, and what the API needs to know of it beside their location. */
export interface ExportedSource {
  kind: 'focus' | 'opencost' | 'hosts' | 'ai_tools';
  /** The text of each file. A name that ends in `.gz` is compressed. */
  files: Record<string, string>;
  /** The text of the second feed: assets of clusters, usage of AI tools. */
  second?: string;
  startsOn?: string;
}
