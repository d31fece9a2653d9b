import type { CredentialType } from '../../../domain/sources/credentials.ts';
import { typeFor } from '../credentials/credential-fields.ts';
import type { SourceKind } from '../source-kinds.ts';
import { UPLOAD } from '../../../domain/sources/uploads/name-rule.ts';
import { awsCurSteps, awsFocusSteps } from './steps/aws-steps.ts';
import { azureDetailsSteps, azureFocusSteps } from './steps/azure-steps.ts';
import { googleFocusSteps, googleUsageSteps } from './steps/google-steps.ts';
import {
  aiFilesSteps,
  anthropicSteps,
  columnsSteps,
  cursorSteps,
  focusFilesSteps,
  gitHubSteps,
  hostsSteps,
  openCostFilesSteps,
  openCostSteps,
} from './steps/other-steps.ts';
import type { Place } from './place-names.ts';
import type { Steps } from './steps/step.ts';

/** How spend of a place comes to the service. */
export interface Way {
  label: string;
  description?: string;
  kind: SourceKind;
  /** The name of the source, until people give it another. */
  name: string;
  /** What its location looks like, or mostly is. With `upload`, people send files instead. */
  location: { example: string; about?: string; isUsual?: true } | typeof UPLOAD;
  /** Options that the way decides. */
  options?: Readonly<Record<string, string>>;
  /** What opens it: a token of the vendor, or else what its location takes. */
  opensWith?: 'token';
  steps?: Steps;
}

interface PlaceOfSpend {
  label: string;
  description: string;
  /** What people choose next. */
  question: string;
  ways: Readonly<Record<string, Way>>;
}

const BUCKET = 's3://my-billing-exports/focus';
const FOLDER =
  'The folder of the export. You can also name another bucket (s3://, gs://, az://), an HTTPS address, or a folder on the server.';
const EXPORTED = 'How is it exported?';
const TABLE = 'Project, data set and table in BigQuery.';

/** Where spend can be, and how it comes from there. The order is that of the form. */
export const PLACES = {
  aws: {
    label: 'AWS',
    description: 'A bill in an S3 bucket',
    question: EXPORTED,
    ways: {
      focus: {
        label: 'Data Exports, FOCUS',
        description: 'The best choice for a new export.',
        kind: 'focus',
        name: 'AWS',
        location: { example: `${BUCKET}/my-export/data`, about: FOLDER },
        steps: awsFocusSteps,
      },
      cur: {
        label: 'Cost and Usage Report (CUR)',
        description: 'CUR 2.0 or an older report that you have already.',
        kind: 'aws_cur',
        name: 'AWS',
        location: { example: 's3://my-billing-exports/cur/my-report', about: FOLDER },
        steps: awsCurSteps,
      },
    },
  },
  azure: {
    label: 'Microsoft Azure',
    description: 'A bill in Blob Storage',
    question: EXPORTED,
    ways: {
      focus: {
        label: 'Cost and usage details (FOCUS)',
        description: 'The best choice for a new export.',
        kind: 'focus',
        name: 'Azure',
        location: { example: 'az://mystorageaccount/exports/focus', about: FOLDER },
        steps: azureFocusSteps,
      },
      details: {
        label: 'Cost and usage details (amortized or actual)',
        description:
          'Also of an Enterprise Agreement. With reservations or savings plans, export the amortised set.',
        kind: 'azure_cost',
        name: 'Azure',
        location: { example: 'az://mystorageaccount/exports/amortized', about: FOLDER },
        steps: azureDetailsSteps,
      },
    },
  },
  google: {
    label: 'Google Cloud',
    description: 'A bill in BigQuery',
    question: EXPORTED,
    ways: {
      usage: {
        label: 'Detailed or standard usage cost table',
        description: 'What most have. The detailed table finds machines of clusters on the bill.',
        kind: 'gcp_billing',
        name: 'Google Cloud',
        location: {
          example: 'bigquery://my-project.billing.gcp_billing_export_resource_v1_010101_F0FFF0_61C528',
          about: TABLE,
        },
        steps: googleUsageSteps,
      },
      focus: {
        label: 'FOCUS table (preview)',
        kind: 'focus',
        name: 'Google Cloud',
        location: {
          example:
            'bigquery://my-project.gcp_billing_immutable_010101_F0FFF0_61C528_us.gcp_billing_export_focus_010101_F0FFF0_61C528',
          about: TABLE,
        },
        steps: googleFocusSteps,
      },
    },
  },
  other: {
    label: 'Another cloud or vendor',
    description: 'Oracle, Datadog, Snowflake, MongoDB, OpenAI, a colocation, …',
    question: 'What do its files look like?',
    ways: {
      focus: {
        label: 'FOCUS files',
        kind: 'focus',
        name: 'Cloud bill',
        location: { example: BUCKET, about: FOLDER },
        steps: focusFilesSteps,
      },
      columns: {
        label: 'Other columns',
        description: 'You say which column is the day, the cost, the account, …',
        kind: 'custom',
        name: 'Vendor bill',
        location: { example: 's3://my-billing-exports/datadog/*.csv', about: FOLDER },
        steps: columnsSteps,
      },
    },
  },
  file: {
    label: 'A file on this computer',
    description: 'Send CSV or Parquet files now',
    question: 'What is in the files?',
    ways: {
      focus: {
        label: 'A cloud bill in the FOCUS format',
        kind: 'focus',
        name: 'Cloud bill',
        location: UPLOAD,
      },
      cur: { label: 'AWS Cost and Usage Report', kind: 'aws_cur', name: 'AWS', location: UPLOAD },
      azure: { label: 'Azure cost details', kind: 'azure_cost', name: 'Azure', location: UPLOAD },
      google: { label: 'Google usage costs', kind: 'gcp_billing', name: 'Google Cloud', location: UPLOAD },
      columns: {
        label: 'Another bill, with other columns',
        description: 'You say which column is the day, the cost, the account, …',
        kind: 'custom',
        name: 'Vendor bill',
        location: UPLOAD,
        steps: columnsSteps,
      },
      opencost: {
        label: 'Allocations of OpenCost',
        kind: 'opencost',
        name: 'Kubernetes',
        location: UPLOAD,
        steps: openCostFilesSteps,
      },
      ai: {
        label: 'Spend and usage of AI coding tools',
        kind: 'ai_tools',
        name: 'AI tools',
        options: { usage_location: UPLOAD },
        location: UPLOAD,
        steps: aiFilesSteps,
      },
      hosts: { label: 'Costs of hosts', kind: 'hosts', name: 'Hosts', location: UPLOAD, steps: hostsSteps },
    },
  },
  kubernetes: {
    label: 'Kubernetes',
    description: 'OpenCost or Kubecost',
    question: 'Where are its costs?',
    ways: {
      api: {
        label: 'API of OpenCost or Kubecost',
        kind: 'opencost',
        name: 'Kubernetes',
        location: { example: 'https://opencost.example.com', about: 'The base URL of the API.' },
        steps: openCostSteps,
      },
      files: {
        label: 'Exported files',
        kind: 'opencost',
        name: 'Kubernetes',
        location: { example: 's3://my-billing-exports/opencost/*.csv', about: FOLDER },
        steps: openCostFilesSteps,
      },
    },
  },
  hosts: {
    label: 'Hosts',
    description: 'Your own machines and their services',
    question: 'Where are their costs?',
    ways: {
      files: {
        label: 'Files',
        kind: 'hosts',
        name: 'Hosts',
        location: { example: 's3://my-billing-exports/hosts/*.csv', about: FOLDER },
        steps: hostsSteps,
      },
    },
  },
  ai: {
    label: 'AI coding tools',
    description: 'GitHub Copilot, Claude, Cursor, files',
    question: 'Whose bill is it?',
    ways: {
      github: {
        label: 'GitHub (Copilot)',
        kind: 'ai_tools',
        name: 'GitHub Copilot',
        options: { vendor: 'github' },
        opensWith: 'token',
        location: {
          example: 'https://api.github.com/organizations/my-organisation',
          about: 'An organisation, or …/enterprises/ and the name of an enterprise.',
        },
        steps: gitHubSteps,
      },
      anthropic: {
        label: 'Anthropic (Claude)',
        kind: 'ai_tools',
        name: 'Claude',
        options: { vendor: 'anthropic' },
        opensWith: 'token',
        location: {
          example: 'https://api.anthropic.com',
          about: 'All workspaces, or one: …/workspaces/wrkspc_…',
          isUsual: true,
        },
        steps: anthropicSteps,
      },
      cursor: {
        label: 'Cursor',
        kind: 'ai_tools',
        name: 'Cursor',
        options: { vendor: 'cursor' },
        opensWith: 'token',
        location: { example: 'https://api.cursor.com', isUsual: true },
        steps: cursorSteps,
      },
      files: {
        label: 'Files',
        description: 'Spend by day and tool, and usage by repository.',
        kind: 'ai_tools',
        name: 'AI tools',
        location: { example: 's3://my-billing-exports/ai/spend/*.csv', about: FOLDER },
        steps: aiFilesSteps,
      },
    },
  },
} as const satisfies Record<Place, PlaceOfSpend>;

/** Returns the ways of a place. The first is the one that most people need. */
export const waysOf = (place: Place): Readonly<Record<string, Way>> => PLACES[place].ways;

/** Returns the way of a name, or the first of the place. */
export function wayOf(place: Place, name: string | undefined): { name: string; way: Way } {
  const ways = Object.entries(waysOf(place));
  const found = ways.find(([one]) => one === name) ?? ways[0];
  if (found === undefined) throw new Error(`the place ${place} has no way`);
  return { name: found[0], way: found[1] };
}

/** Returns the location of a source: what is typed, or what the way decides. */
export function locationOf({ location }: Way, typed: string): string {
  if (location === UPLOAD) return UPLOAD;
  return typed.trim() === '' && location.isUsual === true ? location.example : typed.trim();
}

/** Returns the type of credentials that opens what is typed as the location, or at first what the example shows. */
export const typeOf = ({ location, opensWith }: Way, typed: string): CredentialType | null =>
  location === UPLOAD ? null : typeFor(typed.trim() === '' ? location.example : typed, opensWith);
