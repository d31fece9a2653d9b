import { z } from 'zod';
import { NO_CONTROL_CHARACTERS, ONE_LINE } from '../../domain/shared/text/control-characters.ts';
import { normalText } from '../../domain/shared/text/normal-text.ts';
import { normalRepository } from '../../domain/sources/repository.ts';
import { tagKeyOf, type SpendPick } from '../../domain/spend/spend-pick.ts';

const MOST_PICKS = 1000;

const text = z
  .string({ error: 'expected a text of 1 to 500 characters' })
  .overwrite(normalText)
  .min(1, { error: 'expected a text of 1 to 500 characters' })
  .max(500, { error: 'expected a text of 1 to 500 characters' })
  // This character separates the parts of a key of spend (warehouse/spend/picks/pick-key.ts).
  .regex(ONE_LINE, { error: NO_CONTROL_CHARACTERS });

const idle = z.literal(true, { error: 'expected true, or no idle' }).optional();

const kubernetes = z
  .strictObject({
    source: z.literal('kubernetes'),
    cluster: text,
    namespace: text.optional(),
    workload: text.optional(),
    idle,
  })
  .refine(
    ({ namespace, workload, idle: isIdle }) =>
      isIdle === true ? namespace === undefined && workload === undefined : namespace !== undefined,
    { path: ['namespace'], error: 'expected a namespace, also with a workload, or "idle": true alone' },
  )
  .meta({ id: 'NewKubernetesPick' });

const host = z
  .strictObject({ source: z.literal('host'), host: text, service: text.optional(), idle })
  .refine((pick) => pick.idle !== true || pick.service === undefined, {
    path: ['service'],
    error: 'expected a service or "idle": true, not both',
  })
  .meta({ id: 'NewHostPick' });

const CLOUD_FORMS =
  'expected an account, an account with a service or a resource_group, or a tag alone, beside the cloud';

const cloud = z
  .strictObject({
    source: z.literal('cloud'),
    cloud: text.toLowerCase(),
    account: text.optional(),
    service: text.optional(),
    // Bills have these in upper and lower case.
    resource_group: text.toLowerCase().optional(),
    tag: z.strictObject({ key: text, value: text }).optional(),
  })
  .refine(
    ({ account, service, resource_group, tag }) =>
      tag === undefined
        ? account !== undefined && (service === undefined || resource_group === undefined)
        : account === undefined && service === undefined && resource_group === undefined,
    { error: CLOUD_FORMS },
  )
  .overwrite(({ tag, ...pick }) =>
    tag === undefined ? pick : { ...pick, tag: { ...tag, key: tagKeyOf(pick.cloud, tag.key) } },
  )
  .meta({ id: 'NewCloudPick' });

const repository = z
  .strictObject({
    source: z.literal('repository'),
    repository: text
      .transform(normalRepository)
      .pipe(z.string().min(1, { error: 'expected host/owner/name' })),
  })
  .meta({ id: 'NewRepositoryPick' });

/** Picks of teams and shared costs (docs/concepts.md#scopes-and-picks). `least` is how many there must be. */
export const ownedPicks = (least: 0 | 1): z.ZodType<SpendPick[]> =>
  z
    .array(
      z.discriminatedUnion('source', [kubernetes, host, cloud, repository], {
        error: 'expected a source "kubernetes", "host", "cloud" or "repository"',
      }),
      { error: 'expected an array of picks' },
    )
    .min(least, { error: `expected ${least} to ${MOST_PICKS} picks` })
    .max(MOST_PICKS, { error: `expected ${least} to ${MOST_PICKS} picks` });

/** Picks of a metric: at least one. Only teams and shared costs can pick idle capacity. */
export const metricPicks = ownedPicks(1).superRefine((picks, context) => {
  refuseIdle(picks, context);
});

/** Adds an issue for each pick of idle capacity. `path` leads to the picks. */
export function refuseIdle(
  picks: readonly SpendPick[],
  context: z.RefinementCtx,
  path: readonly string[] = [],
): void {
  picks.forEach((pick, index) => {
    if ('idle' in pick && pick.idle === true)
      context.addIssue({
        code: 'custom',
        path: [...path, index, 'idle'],
        message: 'expected no idle: only teams and shared costs can pick idle capacity',
      });
  });
}

/** The warnings in an answer to a change of picks. */
export const warned = {
  warnings: z
    .array(z.string())
    .describe('Picks that no spend has ever matched, and spend only collected from now on'),
};

/** A pick in answers. */
export const spendPickRecord = z
  .discriminatedUnion('source', [
    z
      .object({
        source: z.literal('kubernetes'),
        cluster: z.string(),
        namespace: z.string().optional(),
        workload: z.string().optional(),
        idle: z.literal(true).optional(),
      })
      .meta({ id: 'KubernetesPick' }),
    z
      .object({
        source: z.literal('host'),
        host: z.string(),
        service: z.string().optional(),
        idle: z.literal(true).optional(),
      })
      .meta({ id: 'HostPick' }),
    z
      .object({
        source: z.literal('cloud'),
        cloud: z.string(),
        account: z.string().optional(),
        service: z.string().optional(),
        resource_group: z.string().optional(),
        tag: z.object({ key: z.string(), value: z.string() }).optional(),
      })
      .meta({ id: 'CloudPick' }),
    z.object({ source: z.literal('repository'), repository: z.string() }).meta({ id: 'RepositoryPick' }),
  ])
  .meta({ id: 'SpendPick' });
