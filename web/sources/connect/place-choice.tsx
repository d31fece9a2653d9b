import { Group, Radio, SimpleGrid, Text } from '@mantine/core';
import {
  IconBox,
  IconBrandAws,
  IconBrandAzure,
  IconBrandGoogle,
  IconFileUpload,
  IconReceipt,
  IconRobot,
  IconServer,
  type Icon,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Dimmed } from '../../shared/dimmed.tsx';
import type { Place } from './place-names.ts';
import { PLACES } from './ways.ts';

const ICONS: Record<Place, Icon> = {
  aws: IconBrandAws,
  azure: IconBrandAzure,
  google: IconBrandGoogle,
  other: IconReceipt,
  file: IconFileUpload,
  kubernetes: IconBox,
  hosts: IconServer,
  ai: IconRobot,
};

/** Asks where the spend is. */
export const PlaceChoice = ({
  value,
  onChange,
}: {
  value: Place | undefined;
  onChange: (place: Place) => void;
}): ReactNode => (
  <Radio.Group
    aria-label="Where is the spend?"
    value={value ?? null}
    onChange={(place) => {
      onChange(place);
    }}
  >
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="sm">
      {Object.entries(PLACES).map(([place, { label, description }]) => (
        <PlaceCard key={place} place={place as Place} label={label} description={description} />
      ))}
    </SimpleGrid>
  </Radio.Group>
);

function PlaceCard({
  place,
  label,
  description,
}: {
  place: Place;
  label: string;
  description: string;
}): ReactNode {
  const Shape = ICONS[place];
  return (
    <Radio.Card value={place} p="sm" h="100%" style={{ display: 'flex', alignItems: 'flex-start' }}>
      <Group wrap="nowrap" align="flex-start" gap="sm">
        <Radio.Indicator mt={2} />
        <div>
          <Group gap={6} wrap="nowrap">
            <Shape size={18} aria-hidden />
            <Text size="sm" fw={500}>
              {label}
            </Text>
          </Group>
          <Dimmed size="xs">{description}</Dimmed>
        </div>
      </Group>
    </Radio.Card>
  );
}
