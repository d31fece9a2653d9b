import { z } from 'zod';
import { billRecord } from '../../api/teams/team-bills.ts';
import type { ApiClient } from './api-client.ts';
import type { Team } from './set-up-teams.ts';

export type BillOnWire = z.infer<typeof billRecord>;

/** A team with its bills of the last twelve months, newest first. */
export interface TeamBills extends Team {
  bills: BillOnWire[];
}

/** The bills of some teams; reading them seals those that are due. */
export const billsOf = async (admin: ApiClient, teams: readonly Team[]): Promise<TeamBills[]> => {
  const all: TeamBills[] = [];
  for (const team of teams)
    all.push({ ...team, bills: await admin.get(`/api/v1/teams/${team.id}/bills`, z.array(billRecord)) });
  return all;
};
