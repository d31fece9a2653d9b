import type { Day } from '../../../shared/calendar.ts';
import type { LocationNames } from './location-names.ts';
import type { Step, Steps } from './step.ts';

/** A long time for a daily read, which still ends. */
const endOfNextYear = (today: Day): string => `${Number(today.slice(0, 4)) + 1}-12-31T00:00Z`;

/** How a signature may read a container. */
export const azureAccess = ({ account, container }: LocationNames, today: Day): readonly Step[] => [
  {
    title: 'Make a signature that may only list and read',
    text:
      'The policy of the container limits the signature, and deleting the policy revokes it. The last command shows the signature, which you paste below. ' +
      'A signature of a user (user delegation) ends after seven days at the latest, so it does not suit a daily read.',
    code: [
      `az storage container policy create --account-name ${account} --container-name ${container} --name cost-analytics --permissions rl --expiry ${endOfNextYear(today)}`,
      `az storage container generate-sas --account-name ${account} --name ${container} --policy-name cost-analytics --https-only --output tsv`,
    ].join('\n'),
    codeName: 'the commands',
  },
];

const exported = ({ account, container, prefix }: LocationNames, type: string): Step => ({
  title: 'Create the export',
  text:
    `In the Azure portal, open Cost Management, choose the billing account or billing profile as the scope, so that all subscriptions are in the export, and then Exports and Create. ` +
    `Type of data: “${type}”. Frequency: daily export of month-to-date costs. Destination: storage account ${account}, container ${container}${prefix === '' ? '' : `, and the directory that your location begins with`}. ` +
    'Keep “File partitioning” and “Overwrite data” on. CSV and Parquet are both read, also compressed.',
});

const PAST_MONTHS: Step = {
  title: 'Bring the months before',
  text: 'Open the export and choose “Export selected dates”. It goes back 13 months, three months at a time.',
};

/** Azure exports in the FOCUS format. */
export const azureFocusSteps: Steps = (names) => [
  exported(names, 'Cost and usage details (FOCUS)'),
  PAST_MONTHS,
];

/** Azure exports of amortised cost details. */
export const azureDetailsSteps: Steps = (names) => [
  exported(names, 'Cost and usage details (amortized)'),
  PAST_MONTHS,
];
