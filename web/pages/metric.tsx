import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, type ReactNode } from 'react';
import { PLATFORMS } from '../../domain/imports/platforms.ts';
import { useSession } from '../http/session.ts';
import { ImportTab } from '../imports/import-tab.tsx';
import { AddValue } from '../metrics/values/add-value.tsx';
import { ChangesOfValues } from '../metrics/values/changes-of-values.tsx';
import { mayChangeValues } from '../metrics/values/may-change-values.ts';
import { metricQuery, type ShownMetric } from '../metrics/metric-queries.ts';
import { MetricSettings } from '../metrics/metric-settings.tsx';
import { isShown, ratioInWords, scopeInWords, valuesInWords } from '../metrics/metric-words.ts';
import { UploadCsv } from '../metrics/values/upload-csv.tsx';
import { ValuesTab } from '../metrics/values/values-tab.tsx';
import { Card } from '../shared/card.tsx';
import { PageTitle } from '../shared/page-title.tsx';
import { Answer, Loading } from '../shared/states.tsx';
import { MonthsTable } from '../months/months-table.tsx';
import { PageTabs } from './page-tabs.tsx';

const MonthCharts = lazy(async () => ({ default: (await import('../months/month-charts.tsx')).MonthCharts }));

const route = getRouteApi('/signed-in/business-metrics/$id');

/** The height of the charts on a wide screen, so that the months below them do not move. */
const CHARTS_HEIGHT = 596;

const Months = ({ metric }: { metric: ShownMetric }): ReactNode => (
  <>
    <Suspense fallback={<Loading height={CHARTS_HEIGHT} />}>
      <MonthCharts metric={metric} />
    </Suspense>
    <Card title="Months">
      <MonthsTable metric={metric} />
    </Card>
  </>
);

const History = ({ metric }: { metric: ShownMetric }): ReactNode => (
  <Card title="Every change of a value">
    <ChangesOfValues metric={metric} />
  </Card>
);

/** A metric: its months, values, history, daily import and definition. */
export function MetricPage(): ReactNode {
  const { id } = route.useParams();
  const query = useQuery(metricQuery(id));
  return (
    <Answer query={query} height={480}>
      {(metric) =>
        isShown(metric) ? (
          <Shown metric={metric} />
        ) : (
          <>
            <PageTitle title={metric.name} />
            <Alert title="Revenue">Only admins see the numbers of a revenue metric.</Alert>
          </>
        )
      }
    </Answer>
  );
}

/** Whether files may have values of the months before a metric's import. */
const takesOlderFiles = ({ import: connected }: ShownMetric): boolean =>
  connected !== null && PLATFORMS[connected.type].takesOlderFiles;

function Shown({ metric }: { metric: ShownMetric }): ReactNode {
  const session = useSession();
  const { show: wanted } = route.useSearch();
  const navigate = route.useNavigate();
  const { maySet } = mayChangeValues(session, metric);
  const tabs = {
    months: { title: 'Months', content: <Months metric={metric} /> },
    values: { title: 'Values', content: <ValuesTab metric={metric} /> },
    history: { title: 'History', content: <History metric={metric} /> },
    import: session.may('admin') ? { title: 'Import', content: <ImportTab metric={metric} /> } : null,
    settings: { title: 'Settings', content: <MetricSettings metric={metric} /> },
  };
  return (
    <>
      <PageTitle
        title={metric.name}
        about={`${ratioInWords(metric)}, of ${scopeInWords(metric.scope)}; ${valuesInWords(metric)}`}
      >
        {maySet && <AddValue metric={metric} />}
        {session.may('admin') && (maySet || takesOlderFiles(metric)) && <UploadCsv metric={metric} />}
      </PageTitle>
      <PageTabs
        label={metric.name}
        show={tabs[wanted] === null ? 'months' : wanted}
        tabs={tabs}
        onShow={(show) => {
          void navigate({ search: (before) => ({ ...before, show }) });
        }}
      />
    </>
  );
}
