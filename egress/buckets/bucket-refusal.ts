/** A refusal of an object storage. */
export interface BucketRefusal {
  /** What was asked of the bucket: its list of objects, or the content of one. */
  asked: 'list' | 'read';
  /** The object or the bucket. */
  path: string;
  /** What was requested. Its query can have a signature, which no message repeats. */
  url: URL;
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The beginning of the answer. */
  text: string;
}
