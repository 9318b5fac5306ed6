// One line per endpoint in this folder; a test finds a forgotten one.
export {default as getHealth} from './get-health.js'
export {default as getStatus} from './get-status.js'
export {default as postMessage} from './post-message.js'
export {default as postModel} from './post-model.js'
export {default as postReload} from './post-reload.js'
export {default as runCronJob} from './run-cron-job.js'
