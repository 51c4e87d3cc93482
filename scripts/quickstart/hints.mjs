const ORDER = {
  orderId: 'order-2001',
  customer: 'you@example.org',
  cardToken: 'tok-visa',
  lines: [{ sku: 'mug', quantity: 1, unitPriceCents: 1250 }],
};

/** What to do next, ready to be copied. @param runId a run that is there */
export function hints({ url, runId, workerSettings, logFolder }) {
  const json = "-H 'content-type: application/json'";
  const order = JSON.stringify({ workflow: 'fulfil-order', input: ORDER });
  const refused = JSON.stringify({ workflow: 'fulfil-order', input: { ...ORDER, orderId: 'order-2002', cardToken: 'tok-refused' } });
  const settings = Object.entries(workerSettings)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
  return `
It keeps running. Ctrl-C ends it; the data stays.

  API          ${url}
  description  ${url}/openapi.json
  metrics      ${url}/metrics
  logs         ${logFolder}

Submit an order, and the same again (one key, one run):

  curl -s ${url}/v1/runs ${json} -H 'idempotency-key: order-2001' -d '${order}'

One whose card is refused: the reservation is released, then the run fails:

  curl -s ${url}/v1/runs ${json} -d '${refused}'

Look:

  curl -s '${url}/v1/runs?limit=5'
  curl -s '${url}/v1/runs/${runId}?wait=30s'
  curl -s ${url}/v1/runs/${runId}/steps
  curl -sN ${url}/v1/runs/${runId}/events
  curl -s ${url}/v1/workers

Replay a larger trace (github.com/wfcommons/WfInstances has many):

  node dist/examples/wfinstances/submit-trace.js examples/wfinstances/traces/bacass-dirt02-001.json --scale 200 --url ${url}

Add a worker in another terminal, then kill -9 it while a run is on it: another one goes on after the last confirmed step:

  ${settings} node dist/apps/worker/src/main.js
`;
}
