import {execFileSync} from 'node:child_process'
import {link, mkdir, readFile, rename, rm, symlink, writeFile} from 'node:fs/promises'
import {homedir} from 'node:os'
import {dirname, join} from 'node:path'
import {expect} from 'chai'
import {SvcError} from '../../../src/core/errors.js'
import {openInside, type Reach, resolveInside} from '../../../src/core/tools/paths.js'
import {type TemporaryHome, temporaryHome} from './context.js'

describe('paths of tools', () => {
  let place: TemporaryHome
  let reach: Reach
  let root: string

  beforeEach(async () => {
    place = await temporaryHome()
    root = dirname(place.home)
    reach = {home: place.home, allowedFolders: [place.workspace]}
    await mkdir(join(place.workspace, 'docs'))
    await mkdir(join(place.home, 'logs'))
    await mkdir(join(root, 'workspace-of-another'))
    const files = [
      'home/workspace/a.txt',
      'home/workspace/docs/b.txt',
      'home/config.json',
      'home/.env',
      'home/svc.db',
      'home/logs/svc.log',
    ]
    for (const file of [...files, 'outside.txt', 'workspace-of-another/c.txt']) await writeFile(join(root, file), file)
  })
  afterEach(() => place.remove())

  const refusal = async (path: string, within = reach): Promise<string> => {
    try {
      const {handle, path: opened} = await openInside(within, path)
      await handle.close()
      return `opened ${opened}`
    } catch (error) {
      expect(error).to.be.instanceOf(SvcError)
      return (error as SvcError).message
    }
  }

  const inside = ['a.txt', './a.txt', 'docs/../a.txt', 'docs/b.txt', 'docs//b.txt', 'docs/./b.txt']
  for (const path of inside) {
    it(`opens ${path}`, async () => expect(await refusal(path)).to.match(/^opened .*\/home\/workspace\//))
  }

  const escapes = [
    '../config.json',
    '../.env',
    '../svc.db',
    '../logs/svc.log',
    '../../outside.txt',
    '../../workspace-of-another/c.txt',
    '../workspace/../config.json',
    'docs/../../config.json',
    'missing/../../config.json',
    '/etc/passwd',
    '//etc//passwd',
    '/proc/self/root/etc/passwd',
    '/proc/self/environ',
    '/proc/self/cwd/package.json',
    '/dev/zero',
    '/dev/stdin',
    '~/.bashrc',
    '~',
    '..',
    '/',
    '../workspace-of-nobody',
  ]
  for (const path of escapes) {
    it(`refuses ${path}`, async () => expect(await refusal(path)).to.contain('outside the folders'))
  }

  const noPaths = ['', 'a\0.txt', 'a\n.txt', '../config.json\0.txt', 'a\x1b[31m', 'x'.repeat(5000), '\x7f']
  for (const path of noPaths) {
    it(`does not take ${JSON.stringify(path.slice(0, 20))} for a path`, async () =>
      expect(await refusal(path)).to.contain('not a path'))
  }

  const hardNames = [
    '．．/config.json',
    '‥/config.json',
    '%2e%2e/config.json',
    '..\\config.json',
    '.. /config.json',
    '../config.json.',
    'a.txt.',
    'a.txt ',
    'A\u0308',
  ]
  for (const name of hardNames) {
    it(`finds nothing at ${name}`, async () => expect(await refusal(name)).to.match(/There is no|outside the folders/))
  }

  it('keeps names apart that differ in their Unicode form', async () => {
    await writeFile(join(place.workspace, 'caf\u00e9.txt'), 'composed')
    expect(await refusal('caf\u00e9.txt')).to.contain('opened')
    if (process.platform === 'linux') expect(await refusal('cafe\u0301.txt')).to.contain('There is no')
  })

  it('says when a name is too long', async () => expect(await refusal('n'.repeat(300))).to.contain('a name in it is too long'))
  it('says when a folder of the path is a file', async () => expect(await refusal('a.txt/x')).to.contain('There is no'))

  const links: [name: string, target: string][] = [
    ['to-config', '../config.json'],
    ['to-root', '/'],
    ['to-parent', '..'],
    ['to-outside', '../../outside.txt'],
    ['to-nowhere', '../../nowhere.txt'],
  ]
  for (const [name, target] of links) {
    it(`follows no link to ${target}, not even over another link`, async () => {
      await symlink(target, join(place.workspace, name))
      await symlink(name, join(place.workspace, 'first'))
      expect(await refusal(name)).to.match(/outside the folders|link to nowhere/)
      expect(await refusal('first')).to.match(/outside the folders|link to nowhere/)
      expect(await refusal(`${name}/etc/passwd`)).to.match(/outside the folders|link to nowhere|There is no/)
    })
  }

  it('follows a link that stays inside', async () => {
    await symlink('docs', join(place.workspace, 'papers'))
    expect(await resolveInside(reach, 'papers/b.txt')).to.equal(join(place.workspace, 'docs/b.txt'))
    expect(await resolveInside(reach, 'papers/new.txt')).to.equal(join(place.workspace, 'docs/new.txt'))
  })

  it('ends at links in a circle', async () => {
    await symlink('two', join(place.workspace, 'one'))
    await symlink('one', join(place.workspace, 'two'))
    expect(await refusal('one')).to.contain('circle')
  })

  it('resolves a file that does not exist yet by its nearest folder', async () => {
    expect(await resolveInside(reach, 'new/deep/file.txt')).to.equal(join(place.workspace, 'new/deep/file.txt'))
    await symlink('../../', join(place.workspace, 'up'))
    const error = await resolveInside(reach, 'up/new.txt').catch((reason: SvcError) => reason)
    expect(error).to.be.instanceOf(SvcError)
  })

  it('creates nothing over a link to nowhere', async () => {
    await symlink('/tmp/svc-does-not-exist', join(place.workspace, 'later'))
    expect(await refusal('later')).to.contain('link to nowhere')
  })

  for (const allowed of ['/', 'root', 'home'] as const) {
    it(`keeps the home closed when the allowed folder is ${allowed}`, async () => {
      const folder = {'/': '/', root, home: place.home}[allowed]
      const wide = {home: place.home, allowedFolders: [folder, place.workspace]}
      for (const name of ['config.json', '.env', 'svc.db', 'svc.db-wal', 'logs/svc.log']) {
        expect(await refusal(join(place.home, name), wide), name).to.contain('outside')
      }
      expect(await refusal(join(place.workspace, 'a.txt'), wide)).to.contain('opened')
      expect(await refusal('/proc/self/environ', wide)).to.contain('outside')
      if (allowed !== 'home') expect(await refusal(join(root, 'outside.txt'), wide)).to.contain('opened')
    })
  }

  it('keeps the logs closed even when they are listed as allowed', async () => {
    expect(await refusal('svc.log', {home: place.home, allowedFolders: [join(place.home, 'logs')]})).to.contain('outside')
  })

  it('keeps the home closed when it is named by a link', async () => {
    await symlink(place.home, join(root, 'alias'))
    const wide = {home: join(root, 'alias'), allowedFolders: [root]}
    expect(await refusal(join(place.home, '.env'), wide)).to.contain('outside')
    expect(await refusal(join(root, 'alias/.env'), wide)).to.contain('outside')
  })

  it('sees through a second name of a private file', async () => {
    await link(join(place.home, '.env'), join(place.workspace, 'innocent.txt'))
    expect(await refusal('innocent.txt')).to.contain('outside')
    await link(join(place.workspace, 'a.txt'), join(place.workspace, 'same.txt'))
    expect(await refusal('same.txt')).to.contain('opened')
  })

  it('opens ~ only where it is allowed', async () => {
    expect(await resolveInside({home: place.home, allowedFolders: [homedir()]}, '~/x-y-z')).to.match(/x-y-z$/)
  })

  it('opens no pipe, and does not wait for one', async () => {
    execFileSync('mkfifo', [join(place.workspace, 'pipe')])
    expect(await refusal('pipe')).to.contain('not a regular file')
  })

  it('opens no folder', async () => expect(await refusal('docs')).to.contain('is a folder'))

  it('has nothing for an agent without folders', async () => {
    expect(await refusal('a.txt', {home: place.home, allowedFolders: []})).to.contain('may not touch any folder')
  })

  it('never reads outside while somebody swaps a folder for a link', async () => {
    await mkdir(join(root, 'elsewhere'))
    await writeFile(join(root, 'elsewhere/b.txt'), 'secret')
    const docs = join(place.workspace, 'docs')
    const swap = async () => {
      await rename(docs, `${docs}-away`)
      await symlink(join(root, 'elsewhere'), docs)
      await rm(docs)
      await rename(`${docs}-away`, docs)
    }
    for (let round = 0; round < 100; round++) {
      const reading = openInside(reach, 'docs/b.txt').then(
        async ({handle}) => {
          const text = await handle.readFile('utf8')
          await handle.close()
          return text
        },
        () => 'refused',
      )
      await swap()
      expect(await reading).to.not.equal('secret')
    }
    expect(await readFile(join(docs, 'b.txt'), 'utf8')).to.contain('b.txt')
  })
})
