import type {z} from 'zod'
import type {App} from '../core/app.js'
import type {FailureCode} from '../core/errors.js'

/** What a handler gets, apart from the parts of the request that its route declares. */
export interface Context {
  app: App
  /** Aborts when the client is gone or the server must close. It never cancels a turn. */
  signal: AbortSignal
  /** Whether `Accept` asks for a stream of events. */
  wantsEvents: boolean
  /** Every endpoint that is mounted beside this one, by operation id. */
  routes: Routes
}

/** One server-sent event. */
export interface StreamEvent<Data> {
  /** Comes back in `Last-Event-ID` when the reader connects again. */
  id?: string
  event?: string
  data: Data
}

/** Replies by status; a failure is thrown as SvcError and has no place here. */
export type Replies = {[status: number]: z.ZodType}

/** What a handler answers: one of the declared statuses with the body of that status, or a stream of the declared events. */
export type Answer<R extends Replies, Event extends z.ZodType> =
  | {[Status in keyof R & number]: {status: Status; body: z.input<R[Status]>; headers?: Record<string, string>}}[keyof R & number]
  | {stream: AsyncIterable<StreamEvent<z.input<Event>>>}

/** One endpoint, declared once: the router, the validation, the OpenAPI document, the client's types and the docs all read this. */
export interface Route<
  Method extends string = string,
  Path extends string = string,
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Headers extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  R extends Replies = Replies,
  Event extends z.ZodType = z.ZodType,
> {
  method: Method
  /** The whole path, parameters as `:name`. */
  path: Path
  summary: string
  /** `bearer` when it says nothing, so that a forgotten line closes a door and never opens one. */
  auth?: 'bearer' | 'none'
  params?: Params
  query?: Query
  /** Names in lower case. */
  headers?: Headers
  /** Without it the endpoint takes no body, or `{}`. */
  body?: Body
  replies: R
  /** One event's `data`, for an endpoint that can answer as `text/event-stream`. */
  events?: Event
  /** The failures of its own, beside those that every endpoint may give. */
  failures?: readonly FailureCode[]
  handle(
    request: Context & {params: z.output<Params>; query: z.output<Query>; headers: z.output<Headers>; body: z.output<Body>},
  ): Promise<Answer<R, Event>>
}

// A handler takes its own input and no other, so no common supertype of all routes exists without `any`.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type AnyRoute = Route<any, any, any, any, any, any, any, any>

/** Endpoints by operation id. */
export type Routes = Readonly<Record<string, AnyRoute>>

/** Identity function; it only lets TypeScript infer the handler's input from the schemas next to it. */
export function route<
  const Method extends 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  const Path extends `/${string}`,
  R extends Replies,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Headers extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Event extends z.ZodType = z.ZodNever,
>(declaration: Route<Method, Path, Params, Query, Headers, Body, R, Event>) {
  return declaration
}

/** The usual answer. */
export const ok = <Body>(body: Body) => ({status: 200 as const, body})

/** An answer with another status than the usual one. */
export const reply = <const Status extends number, const Body>(status: Status, body: Body) => ({status, body})
