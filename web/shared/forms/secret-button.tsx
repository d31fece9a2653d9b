import { Button, type ButtonProps } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { SecretOnce } from './secret-once.tsx';

/** What the form of something with a secret does once it is made, or left. */
export interface SecretFormProps {
  onDone: (made: { secret: string }) => void;
  close: () => void;
}

/** A button that makes something with a secret. Its dialog has the form, and then shows the secret once. */
export function SecretButton({
  action,
  title,
  madeTitle,
  about,
  children,
  ...button
}: Omit<ButtonProps, 'children'> & {
  /** What the button says. The form may have another button of this name. */
  action: string;
  title: string;
  /** The title beside the secret. */
  madeTitle: string;
  /** What the secret is for. */
  about: ReactNode;
  /** Draws the form. */
  children: (form: SecretFormProps) => ReactNode;
}): ReactNode {
  const [shown, setShown] = useState<'nothing' | 'form' | { secret: string }>('nothing');
  const close = (): void => {
    setShown('nothing');
  };
  const hasSecret = typeof shown === 'object';
  const isOpen = shown !== 'nothing';
  return (
    <>
      <Button
        size="xs"
        {...button}
        aria-hidden={isOpen}
        onClick={() => {
          setShown('form');
        }}
      >
        {action}
      </Button>
      <Dialog opened={isOpen} onClose={close} title={hasSecret ? madeTitle : title} stays={hasSecret}>
        {shown === 'form' && children({ onDone: setShown, close })}
        {hasSecret && (
          <SecretOnce secret={shown.secret} onStored={close}>
            {about}
          </SecretOnce>
        )}
      </Dialog>
    </>
  );
}
