import type { MetricWithMonths } from '../organisation/client.ts';
import { curl, explained } from './commands.ts';

/** Returns commands that show who sees revenue, and where it comes from. */
export function salesSteps({ id, name, months }: MetricWithMonths): string[] {
  const metric = `/metrics/${id}`;
  const ready = months.find(({ status }) => status === 'ready_to_lock')?.month;
  const reader = curl({ request: 'POST /keys', body: { name: 'Reader', permission: 'read' } });
  const call = { name: 'get_metric_months', arguments: { metric_id: id } };
  const asked = {
    request: 'POST /mcp',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
    base: '${API%/api/v1}',
    accept: 'application/json, text/event-stream',
  };
  return [
    ...explained(
      `what a key that only reads gets of ${name}: id, name and kind`,
      `READER=$(${reader} | grep -o 'ca_[^"]*')`,
      curl({ request: `GET ${metric}`, key: '$READER' }),
    ),
    ...explained(
      `the import of ${name}: its last run and its next one`,
      curl({ request: `GET ${metric}/import` }),
    ),
    ...explained(
      'import now: the running month and the one before',
      curl({ request: `POST ${metric}/import/run` }),
    ),
    ...(ready === undefined
      ? []
      : explained(`lock ${ready} of ${name}`, curl({ request: `POST ${metric}/months/${ready}/lock` }))),
    ...explained(
      `let an AI assistant read ${name} for admins, and ask as it does`,
      curl({ request: `PATCH ${metric}`, body: { assistant_access: true } }),
      curl(asked),
    ),
    ...explained('who saw or changed what', curl({ request: 'GET /audit-log?limit=10' })),
  ];
}
