/**
 * The weights of those signals of a hit that are multiplied by one, as in the service's `RANKING_WEIGHTS`: its module would
 * bring half of the service into the bundle. A test compares the two.
 */
export const SIGNAL_WEIGHTS: Readonly<Record<string, number>> = {
  session: 0.3,
  length: 0.05,
  recency: 0.15,
  importance: 0.05,
  access: 0.03,
};
