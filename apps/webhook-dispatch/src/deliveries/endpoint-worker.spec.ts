import { describe, expect, it } from '@jest/globals';
import type { ClaimedDelivery } from './ports.js';
import { Lane } from './endpoint-worker.js';

const delivery: ClaimedDelivery = {
  id: '0198c0de-0000-7000-8000-000000000001',
  webhookId: '0198c0de-0000-7000-8000-000000000002',
  fence: '1',
  url: 'https://hooks.test/',
  secret: 'whsec_test',
  payload: '{}',
  attempts: 0,
  traceparent: undefined,
};

const laneWithClock = () => {
  const clock = { ms: 0 };
  const lane = new Lane(() => clock.ms);
  const put = (count: number) => {
    for (let n = 0; n < count; n++) lane.put(delivery);
  };
  /** Begins whatever may begin. */
  const begin = () => {
    let begun = 0;
    while (lane.next()) begun++;
    return begun;
  };
  /** Claims what is free and works it off, as an endpoint does that answers at once. */
  const round = (lanes = 1) => {
    const free = lane.free(lanes);
    put(free);
    for (let begun = begin(); begun > 0; begun = begin()) {
      for (let n = 0; n < begun; n++) {
        lane.called();
        lane.recorded();
      }
    }
    return free;
  };
  return { lane, clock, put, begin, round };
};

describe('the lane of an endpoint', () => {
  it('has at most eight calls under way', () => {
    const { put, begin } = laneWithClock();
    put(20);
    expect(begin()).toBe(8);
  });

  it('begins the next call when one is over, recorded or not', () => {
    const { lane, put, begin } = laneWithClock();
    put(20);
    begin();
    lane.called();
    expect(begin()).toBe(1);
  });

  it('begins no more calls while 32 are over and not recorded', () => {
    const { lane, put, begin } = laneWithClock();
    put(100);
    let begun = begin();
    for (let over = 0; over < 32; over++) {
      lane.called();
      begun += begin();
    }
    expect(begun).toBe(39);
    lane.recorded();
    expect(begin()).toBe(1);
  });

  it('doubles what is claimed for it for as long as all of that is quickly worked off', () => {
    const { round } = laneWithClock();
    expect(Array.from({ length: 7 }, () => round())).toEqual([8, 16, 32, 64, 128, 128, 128]);
  });

  it('shares what a replica may hold with the other lanes', () => {
    const { round } = laneWithClock();
    expect(Array.from({ length: 4 }, () => round(100))).toEqual([8, 16, 32, 40]);
    expect(round(10_000)).toBe(8);
  });

  it('holds its calls and nothing besides when its endpoint hangs, however quick it was', () => {
    const { lane, clock, round, put, begin } = laneWithClock();
    for (let n = 0; n < 5; n++) round();
    put(8);
    begin();
    clock.ms += 251;
    lane.free(1);
    clock.ms += 251;
    expect(lane.free(1)).toBe(0);
  });

  it('of a slow endpoint, for which nothing waits, runs low with every call that is recorded', () => {
    const { lane, put, begin } = laneWithClock();
    put(8);
    begin();
    lane.called();
    expect(lane.runsLow).toBe(false);
    lane.recorded();
    expect(lane.runsLow).toBe(true);
  });

  it('runs low only where the last claim got all that it asked for', () => {
    const { lane, put, begin } = laneWithClock();
    put(8);
    begin();
    for (let n = 0; n < 4; n++) {
      lane.called();
      lane.recorded();
    }
    expect(lane.runsLow).toBe(true);
    expect(lane.free(1)).toBe(4);
    put(3);
    for (let n = 0; n < 4; n++) {
      begin();
      lane.called();
      lane.recorded();
    }
    expect(lane.runsLow).toBe(false);
  });

  it('lets go of a claim that has waited so long that its lease could end during the call', () => {
    const { lane, clock, put } = laneWithClock();
    put(1);
    clock.ms += 15_001;
    expect(lane.next()).toBeUndefined();
    expect(lane.isEmpty).toBe(true);
  });

  it('is forgotten when it has been empty for a while', () => {
    const { lane, clock } = laneWithClock();
    expect(lane.isIdle).toBe(false);
    clock.ms += 251;
    expect(lane.isIdle).toBe(true);
  });
});
