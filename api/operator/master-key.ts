import { z } from 'zod';
import { requireOpeningKey } from '../../warehouse/engine/records/require-key.ts';
import { resealSome } from '../../warehouse/engine/records/reseal.ts';
import { sealedByKeys } from '../../warehouse/engine/records/sealed-texts.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { noBody, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked } from '../routes/route.ts';

/** One step of the rotation of the master key. */
export const rotation = z
  .object({
    resealed: z.number().describe('Texts that this step has sealed anew'),
    remaining: z.number().describe('Texts that MASTER_KEY_PREVIOUS has sealed and no step has sealed anew'),
    unreadable: z.number().describe('Texts that neither key opens'),
    key_file: z
      .string()
      .nullable()
      .describe('Where the last step has written MASTER_KEY to, because the old key came from there'),
    old_key_file: z.string().nullable().describe('Where it keeps the old key then'),
  })
  .meta({ id: 'Rotation' });

/** How many texts each master key has sealed. */
export const sealedTexts = z
  .array(
    z.object({
      key_id: z.string().describe('Names a master key without revealing it'),
      texts: z.number(),
    }),
  )
  .meta({ id: 'SealedTexts' });

const NOT_WRITTEN = { key_file: null, old_key_file: null };

async function postRotation(_request: Asked, { warehouse, sealer, writeKeyFile }: ApiDependencies) {
  await requireOpeningKey(warehouse, sealer);
  const step = await resealSome(warehouse, sealer);
  const written = step.remaining === 0 ? await writeKeyFile() : null;
  return success({ ...step, ...(written ?? NOT_WRITTEN) });
}

const getMasterKey = async (_request: Asked, { warehouse }: ApiDependencies) =>
  success(await sealedByKeys(warehouse));

/** `/master-key`: which master keys have sealed texts, and the rotation to another one. */
export const masterKeyRoutes = tagged('Operator', [
  route('POST /master-key/rotate', {
    access: 'operator',
    operationId: 'rotateMasterKey',
    summary: 'Seal texts of MASTER_KEY_PREVIOUS anew with MASTER_KEY; repeat until none remains',
    body: noBody,
    answer: successOf(rotation),
    handle: postRotation,
  }),
  route('GET /master-key', {
    access: 'operator',
    operationId: 'getMasterKey',
    summary: 'Count the sealed texts by the master key that has sealed them',
    answer: successOf(sealedTexts),
    handle: getMasterKey,
  }),
]);
