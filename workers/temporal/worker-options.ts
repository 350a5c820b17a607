/**
 * How long a workflow may compute without a pause. The SDK takes five seconds by the clock, which a busy or
 * suspended machine uses up by itself, and interrupts the code then; if it was within a promise, Node.js 20 ends
 * the whole process ("async hook stack has become corrupted", nodejs/node#38503). What took too long for the
 * server is done again anyway. This is for a loop that never ends, and has no place in the SDK's types.
 */
export const ACTIVATION_LIMIT = { isolateExecutionTimeout: '5m' } as const;

/**
 * How often a heartbeat is passed on. It brings back whether the activity is cancelled, and the SDK waits with it
 * for most of the heartbeat time-out: an abort would take 8 s to be heard.
 */
export const HEARTBEAT_THROTTLE = {
  maxHeartbeatThrottleInterval: '2s',
  defaultHeartbeatThrottleInterval: '2s',
} as const;
