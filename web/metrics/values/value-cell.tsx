import { Loader } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useSession } from '../../http/session.ts';
import { fieldText, numberIn, problemIn } from '../../shared/forms/number-entry.ts';
import { NumberField } from '../../shared/forms/number-field.tsx';
import { valueRule } from '../metric-numbers.ts';
import type { ShownMetric } from '../metric-queries.ts';

/**
 * The open cell of a value. Enter saves, and so does leaving it; Escape leaves it as it was. The cell closes only once the
 * service has stored the number. A text that is no number, and one that could not be sent, stay with the reason.
 */
export function ValueCell({
  name,
  kind,
  value,
  save,
  close,
}: {
  /** Which value it is, for example `2026-01-31, eu`. */
  name: string;
  kind: ShownMetric['kind'];
  /** Null if it cannot be opened. */
  value: number | null;
  save: (after: number) => Promise<void>;
  close: () => void;
}): ReactNode {
  const { organisation } = useSession();
  const rule = valueRule(kind, organisation.currency);
  const [first] = useState(() => fieldText(value));
  const [text, setText] = useState(first);
  const [isSaving, setIsSaving] = useState(false);
  /** Why the text is still here after it was entered. */
  const [stays, setStays] = useState<'unreadable' | 'unsent' | null>(null);
  const problem = problemIn(text, rule, { isRequired: true });
  const leave = (): void => {
    if (isSaving) return;
    if (text === first) {
      close();
      return;
    }
    const after = numberIn(text, rule);
    if (after === null) {
      setStays('unreadable');
      return;
    }
    setIsSaving(true);
    save(after)
      .then(close)
      // A notification has said why. The text stays, to be sent again.
      .catch(() => {
        setIsSaving(false);
        setStays('unsent');
      });
  };
  return (
    <NumberField
      aria-label={`Value of ${name}`}
      rule={rule}
      size="xs"
      autoFocus
      readOnly={isSaving}
      value={text}
      error={stays !== null && (problem ?? (stays === 'unsent' && !isSaving && 'It is not stored.'))}
      rightSection={isSaving && <Loader size="xs" aria-label={`Storing the value of ${name}`} />}
      styles={{ input: { textAlign: 'right' } }}
      onChange={setText}
      onBlur={leave}
      onKeyDown={({ key }) => {
        if (key === 'Enter') leave();
        if (key === 'Escape' && !isSaving) close();
      }}
    />
  );
}
