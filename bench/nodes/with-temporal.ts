import { Client, Connection } from '@temporalio/client';

/** Runs `work` with a client of the Temporal at `address`. */
export async function withTemporal<Result>(
  address: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const connection = await Connection.connect({ address });
  try {
    return await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}
