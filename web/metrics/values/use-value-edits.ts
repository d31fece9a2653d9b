import { useState } from 'react';
import { api, dataOf } from '../../http/api.ts';
import { useSession } from '../../http/session.ts';
import { useChange } from '../../shared/forms/use-change.ts';
import { NUMBERS_OF_METRICS, type ShownMetric } from '../metric-queries.ts';

/** A value before and after an edit; null where there is none. */
export interface ValueEdit {
  period: string;
  label: string | undefined;
  before: number | null;
  after: number | null;
}

interface ValueEdits {
  /** The edits of this page that can be undone, oldest first. */
  done: readonly ValueEdit[];
  isSaving: boolean;
  change: (edit: ValueEdit) => Promise<void>;
  undo: () => void;
}

/** Returns how to send one value: admins correct it by hand, other keys send it as programs do. */
export function useSetValue(metricId: string) {
  const { may } = useSession();
  return (
    { period, label, value }: { period: string; label: string | undefined; value: number },
    signal?: AbortSignal,
  ) =>
    may('admin')
      ? dataOf(
          api.PUT('/api/v1/metrics/{id}/values/{period}', {
            params: { path: { id: metricId, period }, query: { label } },
            body: { value },
            signal,
          }),
        )
      : dataOf(
          api.POST('/api/v1/metrics/{id}/values', {
            params: { path: { id: metricId } },
            body: { values: [{ period, label, value }] },
            signal,
          }),
        );
}

/** Saves edits of values one by one, and takes the last one back. */
export function useValueEdits(metric: ShownMetric): ValueEdits {
  const [done, setDone] = useState<readonly ValueEdit[]>([]);
  const set = useSetValue(metric.id);
  const save = useChange<ValueEdit & { undoes?: ValueEdit }, { isNew: boolean }>({
    send: async ({ period, label, after }) => {
      if (after !== null) {
        const { unchanged } = await set({ period, label, value: after });
        return { isNew: unchanged === 0 };
      }
      const query = { period, label };
      await dataOf(api.DELETE('/api/v1/metrics/{id}/values', { params: { path: { id: metric.id }, query } }));
      return { isNew: true };
    },
    changes: NUMBERS_OF_METRICS,
    done: ({ isNew }, { period }) => (isNew ? null : `${period} has this value already.`),
    onDone: (_, { undoes }) => {
      setDone((edits) => edits.filter((edit) => edit !== undoes));
    },
  });
  const last = done.at(-1);
  return {
    done,
    isSaving: save.isPending,
    change: async (edit) => {
      const { isNew } = await save.mutateAsync(edit);
      if (isNew) setDone((edits) => [...edits, edit]);
    },
    undo: () => {
      if (last === undefined || save.isPending) return;
      save.mutate({ ...last, before: last.after, after: last.before, undoes: last });
    },
  };
}
