import type { MouseEvent } from 'react';

/** Forgets the file that was chosen last. A browser says nothing about a file that is chosen a second time. */
export const chooseAgain = {
  onClick: (event: MouseEvent<HTMLInputElement>): void => {
    event.currentTarget.value = '';
  },
} as const;
