import {spawn} from 'node:child_process'
import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'

/**
 * Runs the same command line on the Node that `npm ci` installed beside the other packages, and ends the way it ends. Where there
 * is none (it comes for Linux only), says which Node is needed.
 *
 * @param {string} root folder of the package
 * @param {string} script file to start
 * @param {string[]} argv
 * @param {number} oldestNode major version
 */
export function restart(root, script, argv, oldestNode) {
  const node = join(root, 'node_modules', '.bin', 'node')
  if (!existsSync(node)) {
    process.stderr.write(
      `Error: svc needs Node ${oldestNode} or newer, and this is ${process.versions.node}.\nTry: https://nodejs.org/en/download\n`,
    )
    process.exitCode = 1
    return
  }

  // A kill -9 of this process cannot be forwarded: the kernel ends the child for us, or a server would keep its port.
  const tether = existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'KILL'] : []
  const [command, ...args] = [...tether, node, script, ...argv]
  const child = spawn(command, args, {stdio: 'inherit'})

  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR2']) {
    process.on(signal, () => {
      if (!sentByTerminal(signal)) child.kill(signal)
    })
  }

  child.on('error', (error) => {
    process.stderr.write(`Error: ${node} does not start: ${error.message}.\nTry: npm ci\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    // Ends this process by the same signal, so that a shell sees an interrupted command and not one that failed.
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/**
 * Ctrl-C reaches every process of the terminal's foreground group, so the child has it already; a second one would mean "stop
 * at once". Field 5 of the line is our process group, field 8 the terminal's foreground group (proc(5)); the name before them may
 * contain spaces.
 *
 * @param {string} signal
 */
function sentByTerminal(signal) {
  if (signal !== 'SIGINT' && signal !== 'SIGQUIT') return false
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ')
    return fields[2] === fields[5]
  } catch {
    return false
  }
}
