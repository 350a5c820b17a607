import { expect, it } from 'vitest';
import { judgeUnanswered } from '../../../core/openstack/unanswered.ts';

it('an endpoint that the worker asks is told for certain where the system says so', () => {
  const url = 'https://glance.cloud:9292';
  expect(judgeUnanswered({ reason: 'ENOTFOUND' }, url)?.message).toContain('glance.cloud of the endpoint');
  expect(judgeUnanswered({ reason: 'ECONNREFUSED' }, url)?.message).toContain('Nothing listens');
  expect(judgeUnanswered({ reason: 'no answer in time' }, url)).toBeUndefined();
});
