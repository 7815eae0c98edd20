import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { temporaryData } from '../http/harness.ts'
import { ROOT } from '../process/harness.ts'
import { stages, valuesOf } from './dockerfile.ts'
import { read } from './files.ts'

const exec = promisify(execFile)
const [build = [], image = []] = stages

/** Packages that `npm ci --omit=dev --omit=optional` installs: top-level ones, with their nested packages. */
const installed = (): readonly string[] => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: true; readonly optional?: true }>>
  }
  return Object.entries(packages).flatMap(([path, { dev, optional }]) =>
    /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !dev && !optional ? [path] : [],
  )
}

/** Creates the first stage's content of /srv/berth. Packages are linked instead of downloaded. */
const layOut = async (root: string): Promise<void> => {
  const home = join(root, 'srv/berth')
  mkdirSync(home, { recursive: true })
  for (const value of valuesOf(build, 'COPY')) {
    const names = value.split(' ').slice(0, -1)
    for (const name of names) cpSync(join(ROOT, name), join(home, name), { recursive: true })
  }
  for (const path of installed()) {
    const to = join(home, path)
    mkdirSync(join(to, '..'), { recursive: true })
    await exec('cp', ['-alT', join(ROOT, path), to]).catch(() => exec('cp', ['-aT', join(ROOT, path), to]))
  }
  for (const directory of ['usr', 'proc', 'dev', 'etc', 'tmp', 'var/lib']) {
    mkdirSync(join(root, directory), { recursive: true })
  }
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\nnode:x:1000:1000::/:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
  chmodSync(root, 0o755)
}

const environment = valuesOf(image, 'ENV').join(' ')
const command = (JSON.parse(valuesOf(image, 'CMD')[0] ?? '[]') as readonly string[]).join(' ')
const [user = ''] = valuesOf(image, 'USER')
const health = / CMD (.*)$/.exec(valuesOf(image, 'HEALTHCHECK')[0] ?? '')?.[1] ?? '[]'
const healthcheck = (JSON.parse(health) as readonly string[]).join(' ')

/**
 * Runs the second stage's steps and command as the image's user, in a root that is read-only except for the volume and
 * /tmp, and in separate mount, process and network namespaces. ROOT_DIR and NODE are the root and the Node binary.
 */
const SCRIPT = `set -eu
mount --make-rprivate /
mount --bind "$ROOT_DIR" "$ROOT_DIR"
cd "$ROOT_DIR"
mount --rbind /usr usr
for name in bin lib lib64 sbin; do [ ! -L /$name ] || ln -s "$(readlink /$name)" $name; done
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs tmpfs tmp
mount -t tmpfs tmpfs usr/local/bin
touch usr/local/bin/node
mount --bind "$NODE" usr/local/bin/node
ip link set lo up

start_in_image() { exec chroot --userspec=$1 . env -i PATH=/usr/local/bin:/usr/bin:/bin ${environment} sh -c "cd /srv/berth && $2"; }
in_image() { (start_in_image "$@"); }
in_image 0:0 ${JSON.stringify(valuesOf(image, 'RUN').join(' && '))}
mkdir volume
mount --bind var/lib/berth volume
mount -o remount,bind,ro .
mount --bind volume var/lib/berth

! in_image ${user} 'touch /srv/berth/x' 2> /dev/null
! in_image ${user} '${healthcheck}'
touch tmp/log
start_in_image ${user} 'exec ${command}' > tmp/log &
tail --pid $! -f tmp/log | grep -q -m 1 listening
until in_image ${user} '${healthcheck}'; do kill -0 $!; done
echo healthy
in_image ${user} 'berth user list'
in_image ${user} 'ls -A /var/lib/berth'
kill $!
wait $!
echo "ended with $?"
grep -o '"msg":"stopped"' tmp/log
`

/** Processes in the namespaces are killed when `unshare` exits. */
const NAMESPACES = ['--mount', '--net', '--pid', '--fork', '--kill-child']

test('the steps of the Dockerfile produce an image that starts, is healthy and stops cleanly', async (t) => {
  const isPossible = await exec('unshare', [...NAMESPACES, 'ip', 'link', 'set', 'lo', 'up']).then(
    () => process.getuid?.() === 0,
    () => false,
  )
  if (!isPossible) {
    t.log('NOT RUN: requires root, unshare and ip')
    t.pass()
    return
  }
  const root = await temporaryData(t)
  await layOut(root)
  const { stdout } = await exec('unshare', [...NAMESPACES, 'bash', '-c', SCRIPT], {
    timeout: 200_000,
    killSignal: 'SIGKILL',
    env: { PATH: process.env.PATH, ROOT_DIR: root, NODE: process.execPath },
  })
  t.regex(stdout, /^healthy\n[0-9a-f]{24}\tadmin\tadministrator\t/)
  for (const file of ['audit.key', 'events.db', 'vault.key']) t.true(stdout.includes(`\n${file}\n`), file)
  t.regex(stdout, /\nended with 0\n"msg":"stopped"\n$/)
})
