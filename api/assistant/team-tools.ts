import { z } from 'zod';
import { idArgument, pageArguments } from './arguments.ts';
import { explained, tool } from './tool.ts';

/** `list_teams` and `get_team_bills`: what teams cost (docs/http.md#teams-and-bills). */
export const TEAM_TOOLS = [
  tool({
    name: 'list_teams',
    title: 'Teams',
    description:
      'Teams with their ids and the spend that each owns. Choose it to find the team_id for get_team_bills.',
    input: z.strictObject(pageArguments),
    answer: async (page, { organisation, ask }) =>
      explained(organisation, await ask('/teams', page), [
        'ownership lists the spend that the team owns. The most specific owner of a dollar has it.',
      ]),
  }),
  tool({
    name: 'get_team_bills',
    title: 'Bills of a team',
    description:
      'Monthly bills of one team for the last twelve months, newest first, the running one included: what it owns (direct), its part of ' +
      'shared costs, and both together (fully_loaded). Choose it for "what does this team cost".',
    input: z.strictObject({ team_id: idArgument('team_…', 'list_teams') }),
    answer: async ({ team_id }, { organisation, ask }) => {
      const bills = await ask(`/teams/${team_id}/bills`);
      const { id, name } = (await ask(`/teams/${team_id}`))['data'] as { id: string; name: string };
      return explained(organisation, { unit: organisation.currency, team: { id, name }, ...bills }, [
        `All amounts are in ${organisation.currency}. fully_loaded is direct + shared.`,
        'Only a sealed bill is final. waiting_for says in words what another one still waits for; an estimate can still change.',
        'Amounts are null, never 0, while no spend of the month was delivered, or if the team is newer than the sealed bills; reason and waiting_for say which.',
        'unallocated is what no team pays: the organisation’s total less the bills of all teams.',
      ]);
    },
  }),
];
