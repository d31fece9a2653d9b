import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { UPLOAD } from '../../../domain/sources/uploads/name-rule.ts';
import { useSession } from '../../http/session.ts';
import { Card } from '../../shared/card.tsx';
import { LocationField, type SourceForm } from '../source-fields.tsx';
import { accessSteps } from './steps/access-steps.ts';
import { StepList } from './steps/step-list.tsx';
import { isNamed, namesIn } from './steps/location-names.ts';
import { typeOf, type Way } from './ways.ts';

/** Where the source is, and what to do outside this service first, with the names that are typed. */
export const Preparation = ({ way, form }: { way: Way; form: SourceForm }): ReactNode => (
  <>
    {way.location !== UPLOAD && (
      <Card title="Where will it be?">
        <LocationField
          form={form}
          placeholder={way.location.example}
          description={way.location.about}
          isRequired={way.location.isUsual !== true}
        />
      </Card>
    )}
    <Steps way={way} location={form.values.location} />
  </>
);

function Steps({ way, location }: { way: Way; location: string }): ReactNode {
  const { today } = useSession();
  const names = namesIn(location);
  const shown = [...(way.steps?.(names) ?? []), ...accessSteps(typeOf(way, location), names, today)];
  if (shown.length === 0) return null;
  return (
    <Card title="Prepare it">
      {!isNamed(shown) && (
        <Text size="sm" mb="sm">
          Names in capitals become yours once you have typed the location.
        </Text>
      )}
      <StepList steps={shown} />
    </Card>
  );
}
