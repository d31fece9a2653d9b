/** The places of spend, as they stand in an address. They are apart from their texts, because every page loads the routes. */
export const PLACE_NAMES = ['aws', 'azure', 'google', 'other', 'file', 'kubernetes', 'hosts', 'ai'] as const;

export type Place = (typeof PLACE_NAMES)[number];
