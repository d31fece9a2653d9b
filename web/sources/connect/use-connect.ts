import { useState } from 'react';
import { UPLOAD } from '../../../domain/sources/uploads/name-rule.ts';
import { api, dataOf } from '../../http/api.ts';
import { useChange, type Change } from '../../shared/forms/use-change.ts';
import { credentialsBody } from '../credentials/credential-fields.ts';
import type { FileQueue } from '../files/use-file-queue.ts';
import { bodyOfNew, type SourceValues } from '../source-values.ts';
import type { CostSource } from '../sources-queries.ts';
import { locationOf, typeOf, type Way } from './ways.ts';

/** What is sent about a new source: what people filled in, and what the way decides. */
export function newBody(way: Way, suggestedName: string, values: SourceValues) {
  const location = locationOf(way, values.location);
  const body = bodyOfNew({
    ...values,
    name: values.name.trim() === '' ? suggestedName : values.name,
    kind: way.kind,
    location,
    options: { ...values.options, ...way.options },
  });
  const credentials = credentialsBody(typeOf(way, location), values.credentials);
  return credentials === undefined ? body : { ...body, credentials };
}

/** A source that is connected, and how many of its files could not be sent. */
interface Connected {
  source: CostSource;
  refused: number;
}

interface Connecting {
  /** The source, once it is stored. What fails later is tried again without storing it twice. */
  source: CostSource | null;
  change: Change<SourceValues, Connected>;
}

/** Stores a source with its credentials, sends its files, and starts its first run. */
export function useConnect({
  way,
  suggestedName,
  queue,
  onRefused,
  onConnected,
}: {
  way: Way;
  suggestedName: string;
  queue: FileQueue;
  onRefused: (error: unknown) => void;
  /** Is called once the first run has started. */
  onConnected: (source: CostSource) => void;
}): Connecting {
  const [source, setSource] = useState<CostSource | null>(null);
  const change = useChange({
    send: async (values: SourceValues, signal): Promise<Connected> => {
      const stored =
        source ??
        (await dataOf(api.POST('/api/v1/cost-sources', { body: newBody(way, suggestedName, values) })));
      setSource(stored);
      const refused = way.location === UPLOAD ? await queue.send(stored.id, signal) : 0;
      if (refused === 0)
        await dataOf(
          api.POST('/api/v1/cost-sources/{id}/ingest', { params: { path: { id: stored.id } }, body: {} }),
        );
      return { source: stored, refused };
    },
    changes: ['sources', 'source-files', 'runs', 'waiting'],
    done: ({ source: { name }, refused }) =>
      refused > 0 ? null : `${name} is connected, and its first run has started.`,
    onDone: ({ source: stored, refused }) => {
      if (refused === 0) onConnected(stored);
    },
    onRefused,
    showsError: true,
  });
  return { source, change };
}
