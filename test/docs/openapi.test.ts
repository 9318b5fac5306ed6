import {validate} from '@hyperjump/json-schema/openapi-3-1'
import {expect} from 'chai'
import {openapi} from '../../src/server/openapi.js'
import {routes} from '../../src/server/serve.js'

/** OpenAPI 3.1 together with the dialect of JSON Schema that its schemas speak. */
const specification = 'https://spec.openapis.org/oas/3.1/schema-base'

type Json = Parameters<Awaited<ReturnType<typeof validate>>>[0]

const document = () => JSON.parse(JSON.stringify(openapi(routes, '1.2.3')))

describe('The OpenAPI document, by the specification', () => {
  it('is valid', async () => {
    expect(await validate(specification, document() as Json, 'BASIC')).to.deep.equal({valid: true})
  })

  it('would not be with a reply that has no description, or a schema that is none', async () => {
    const withoutDescription = document()
    delete withoutDescription.paths['/health'].get.responses['200'].description
    const withBadSchema = document()
    withBadSchema.paths['/message'].post.requestBody.content['application/json'].schema = {type: 'txet'}
    for (const broken of [withoutDescription, withBadSchema]) {
      expect((await validate(specification, broken as Json, 'BASIC')).valid).to.equal(false)
    }
  })

  it('declares every parameter of its paths, and no other', () => {
    for (const [path, methods] of Object.entries<Record<string, {parameters: {name: string; in: string}[]}>>(document().paths)) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      for (const {parameters} of Object.values(methods)) {
        expect(parameters.filter((parameter) => parameter.in === 'path').map(({name}) => name)).to.deep.equal(inPath)
      }
    }
  })
})
