import { describe, expect, it } from 'vitest';
import type { Kind } from '../../../domain/sources/kinds.ts';
import { AWS_CHARGES } from '../../support/exports/bills/aws-charges.ts';
import { cur2Csv, olderCsv } from '../../support/exports/bills/aws-reports.ts';
import { AZURE_CHARGES } from '../../support/exports/bills/azure-charges.ts';
import {
  customerDetails,
  enterpriseDetails,
  germanDetails,
} from '../../support/exports/bills/azure-details.ts';
import { GOOGLE_CHARGES, usageCosts } from '../../support/exports/bills/google-charges.ts';
import { ingestedBill } from '../../support/exports/bills/ingested-bill.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { openDuckDb } from '../../support/warehouse/engines.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Files by the kind of source that reads them, and what they are called. */
const FILES: Readonly<Partial<Record<Kind, { called: string; texts: string[] }>>> = {
  focus: {
    called: 'this is a FOCUS export; make the source a focus one',
    texts: [focusCsv([dayLine('2026-01-10', '1')])],
  },
  aws_cur: {
    called: 'this is AWS CUR; make the source an aws_cur one',
    texts: [cur2Csv(AWS_CHARGES), olderCsv(AWS_CHARGES)],
  },
  azure_cost: {
    called: 'this is Azure cost details; make the source an azure_cost one',
    texts: [enterpriseDetails, customerDetails, germanDetails].map((of) => of(AZURE_CHARGES, 'amortised')),
  },
  gcp_billing: {
    called: "this is a table of Google's usage costs; make the source a gcp_billing one",
    texts: [usageCosts(GOOGLE_CHARGES)],
  },
  opencost: {
    called: 'this is an OpenCost export; make the source an opencost one',
    texts: ['Date,Namespace,ControllerKind,ControllerName,TotalCost\n2026-01-10,shop,deployment,api,1\n'],
  },
  hosts: {
    called: 'this is a file of hosts; make the source a hosts one',
    texts: ['day,host,service,cost\n2026-01-10,db,pg,1\n'],
  },
  ai_tools: {
    called: 'this is a file of AI tools; make the source an ai_tools one',
    texts: ['day,tool,cost\n2026-01-10,copilot,1\n'],
  },
};

const OPTIONS: Partial<Record<Kind, object>> = { opencost: { cluster: 'prod' }, hosts: {}, ai_tools: {} };

describe('a source of one kind', () => {
  const test = withOpened(openDuckDb);

  for (const kind of Object.keys(FILES) as Kind[])
    it(`refuses the files of every other kind by their name: ${kind}`, async () => {
      for (const [other, { called, texts }] of Object.entries(FILES)) {
        if (other === kind) continue;
        for (const text of texts)
          await expect(
            ingestedBill(
              test,
              kind,
              { 'export.csv': text },
              { options: { ...(OPTIONS[kind] ?? { cost_column: 'EffectiveCost' }) } },
            ),
          ).rejects.toThrow(`export.csv: ${called}; nothing was loaded`);
      }
    });
});
