import { PERCENT_DECIMALS } from '../../../domain/teams/shared-cost.ts';
import { fieldText, numberIn, type NumberRule } from '../../shared/forms/number-entry.ts';
import { sumOf } from '../../shared/sums.ts';
import type { Team } from '../team-queries.ts';
import type { Split } from './split-words.ts';

/** A split while it is edited. Each kind keeps what was chosen, also while another kind is shown. */
export interface SplitDraft {
  type: Split['type'];
  teamIds: string[];
  /** Percents by team, as people type them. */
  shares: { teamId: string; percent: string }[];
  metricId: string | null;
  /** Teams by label; null for a label whose part stays unallocated. */
  labels: { label: string; teamId: string | null }[];
}

/** Which percents a split takes. */
export const SPLIT_PERCENT: NumberRule = {
  style: { style: 'percent' },
  min: 0,
  max: 100,
  decimals: PERCENT_DECIMALS,
};

/** Returns the draft of a split, or of none. */
export const draftOf = (split: Split | null): SplitDraft => ({
  type: split?.type ?? 'even',
  teamIds: split?.type === 'even' ? split.team_ids : [],
  shares:
    split?.type === 'fixed'
      ? split.shares.map(({ team_id, percent }) => ({ teamId: team_id, percent: fieldText(percent) }))
      : [],
  metricId: split?.type === 'metric' ? split.metric_id : null,
  labels:
    split?.type === 'metric'
      ? Object.entries(split.labels).map(([label, teamId]) => ({ label, teamId }))
      : [],
});

/** The sum of a draft's percents that can be read. */
export const percentSum = ({ shares }: SplitDraft): number =>
  sumOf(shares.map(({ percent }) => numberIn(percent, SPLIT_PERCENT) ?? 0));

/** Returns the split of a draft, or what it still lacks in words. */
export function splitOf(draft: SplitDraft): Split | string {
  switch (draft.type) {
    case 'even':
      return draft.teamIds.length === 0
        ? 'Choose the teams that share the cost.'
        : { type: 'even', team_ids: draft.teamIds };
    case 'fixed': {
      const shares = draft.shares.flatMap(({ teamId, percent: written }) => {
        const percent = numberIn(written, SPLIT_PERCENT);
        return percent === null ? [] : [{ team_id: teamId, percent }];
      });
      if (shares.length === 0) return 'Choose the teams that share the cost, each with its percent.';
      if (shares.length < draft.shares.length) return 'Give each team a percent, or remove the team.';
      return percentSum(draft) > 100 ? 'The percents must not exceed 100.' : { type: 'fixed', shares };
    }
    case 'metric': {
      if (draft.metricId === null) return 'Choose the metric whose values split the cost.';
      const labels = draft.labels.flatMap(({ label, teamId }) => (teamId === null ? [] : [[label, teamId]]));
      return labels.length === 0
        ? 'Choose a team for at least one label.'
        : {
            type: 'metric',
            metric_id: draft.metricId,
            labels: Object.fromEntries(labels) as Record<string, string>,
          };
    }
  }
}

/** What the fields of a split share. */
export interface SplitFieldsProps {
  draft: SplitDraft;
  teams: readonly Team[];
  onChange: (changes: Partial<SplitDraft>) => void;
}

/** The choices of a field that names a team. */
export const teamChoices = (teams: readonly Team[]): { value: string; label: string }[] =>
  teams.map(({ id, name }) => ({ value: id, label: name }));
