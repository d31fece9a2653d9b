import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { secretFile } from './secret-file.ts';

/** The file of the operator key if `OPERATOR_KEY` is not set. */
export const operatorKeyFile = (dataDir: string): string => join(dataDir, 'operator.key');

/** Returns the operator key: the given one, or else its file's. The first start creates the file, readable by its owner only. */
export const operatorKey = async (given: string | null, dataDir: string): Promise<string> =>
  given ?? secretFile(operatorKeyFile(dataDir), () => randomBytes(32).toString('base64url'));
