export const print = line => console.log(`▸ ${line}`);

export const demand = (claim, isTrue, otherwise = '') => {
  if (!isTrue) throw new Error(`${claim}: not so. ${otherwise}`);
  console.log(`  ✓ ${claim}`);
};
