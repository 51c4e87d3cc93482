export { FulfilOrderModule } from './fulfil-order/fulfil-order.module.js';
export { hello } from './hello.js';
export { WfInstancesModule } from './wfinstances/wfinstances.module.js';
