import {chmod, chown, lstat, stat, symlink, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect} from 'chai'
import {ensureHome, serviceHome} from '../../../src/core/config/home.js'
import {tempFolder} from '../../support/temp.js'
import {failure} from './failure.js'

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

describe('serviceHome', () => {
  it('is SVC_HOME, made absolute', () => {
    expect(serviceHome({SVC_HOME: '/srv/agent/', HOME: '/home/ada'})).to.equal('/srv/agent')
    expect(serviceHome({SVC_HOME: 'agent'})).to.equal(join(process.cwd(), 'agent'))
  })

  it('is ~/.svc otherwise, also when SVC_HOME is empty', () => {
    expect(serviceHome({HOME: '/home/ada', SVC_HOME: ''})).to.equal('/home/ada/.svc')
  })

  it('says which variable is missing when nothing tells it', async () => {
    const {message, hint} = await failure('bad-config', () => serviceHome({}))
    expect(message).to.contain('neither SVC_HOME nor HOME')
    expect(hint).to.contain('SVC_HOME')
  })
})

describe('ensureHome', () => {
  it('creates the folder and those above it for the owner alone', async () => {
    const above = join(await tempFolder(), 'above')
    expect(await ensureHome(join(above, 'home'))).to.deep.equal([])
    expect(await modeOf(above)).to.equal(0o700)
    expect(await modeOf(join(above, 'home'))).to.equal(0o700)
  })

  it('tightens a looser one and says so once', async () => {
    const home = await tempFolder()
    await chmod(home, 0o755)
    const warnings = await ensureHome(home)
    expect(warnings).to.have.length(1)
    expect(warnings[0]).to.contain(home).and.to.contain('755')
    expect(await modeOf(home)).to.equal(0o700)
    expect(await ensureHome(home)).to.deep.equal([])
  })

  it('follows a symbolic link of the owner', async () => {
    const folder = await tempFolder()
    const home = join(await tempFolder(), 'link')
    await symlink(folder, home)
    expect(await ensureHome(home)).to.deep.equal([])
    expect((await lstat(home)).isSymbolicLink()).to.equal(true)
  })

  it('refuses a folder of somebody else', async () => {
    const theirs = process.getuid?.() === 0 ? await tempFolder() : '/'
    if (theirs !== '/') await chown(theirs, 12_345, 12_345)
    const {message} = await failure('storage-unavailable', ensureHome(theirs))
    expect(message).to.contain('belongs to another user')
  })

  it('explains what is in the way', async () => {
    const file = join(await tempFolder(), 'file')
    await writeFile(file, '')
    const nowhere = join(await tempFolder(), 'link')
    await symlink('/nowhere/at/all', nowhere)
    for (const [home, reason] of [
      [join(file, 'home'), 'a part of the path is a file'],
      [file, 'it is not a folder'],
      [nowhere, 'it cannot be created there'],
      [join(nowhere, 'home'), 'it cannot be created there'],
      ['/proc/svc-home', 'it cannot be created there'],
    ] as const) {
      const {message, hint} = await failure('storage-unavailable', ensureHome(home))
      expect(message).to.contain(home).and.to.contain(reason)
      expect(hint).to.contain('SVC_HOME')
    }
  })
})
