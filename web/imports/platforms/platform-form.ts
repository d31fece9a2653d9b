import type { ReactNode } from 'react';
import type { Schema } from '../../http/api.ts';
import type { ShownMetric } from '../../metrics/metric-queries.ts';
import type { Import } from '../import-query.ts';

/** What a person has entered, by field. */
type Entered = Record<string, string>;

/** The part of the form that connects a metric with one platform. */
export interface PlatformForm<Fields extends Entered = Entered> {
  /** Returns what is entered at first, for a new connection or in place of an earlier one. */
  initial(connection: Import | null): Fields;
  /** Returns the body of the request. */
  bodyOf(entered: Fields): Schema<'BigQueryConnection'> | Schema<'StripeConnection'>;
  /** @param inputOf returns the props of the input of a field. */
  Inputs(props: { metric: ShownMetric; inputOf: (field: keyof Fields & string) => object }): ReactNode;
}
