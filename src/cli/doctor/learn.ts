import {ServiceProbe} from '../../api/probe.ts'
import {parseConfig} from '../../config/config-file.ts'
import {dialectOf} from '../../config/dialect-settings.ts'
import {type EditedConfig, editConfig} from '../../config/edit-config.ts'
import {setTomlKeys, type TomlChange} from '../../config/toml-edit.ts'
import type {Dialect} from '../../core/dialect.ts'
import {
  type FieldFinding,
  findFields,
  listFields,
  type OrderField,
  type SeenOrder,
} from '../../core/doctor/learn-fields.ts'
import {collectWords, proposeWords, type SeenWord} from '../../core/doctor/learn-words.ts'
import {Failure} from '../../core/failure.ts'
import {type OrderKind, type OrderState, orderKinds} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Lesson} from '../../report/learn-text.ts'
import {
  type KnownOrder,
  lookUpOrders,
  obstaclesTo,
  readBack,
  type Seen,
} from '../../workflows/doctor/learn.ts'
import type {Context} from '../context.ts'
import {Progress} from '../progress.ts'
import {choose, isTerminal} from '../prompt.ts'
import {hideSecret} from '../streams.ts'

export async function learn(
  context: Context,
  flags: {readonly profile?: string | undefined; readonly 'exact-secret': boolean},
  known: readonly KnownOrder[],
) {
  const isSecretExact = flags['exact-secret']
  const {profile, apiSecret} = await context.loadProfile(flags.profile, 'service', {isSecretExact})
  const secret = await apiSecret()
  hideSecret(secret)
  const probe = new ServiceProbe(profile, {apiSecret: secret, apiKey: ''}, Date.now)
  const progress = new Progress()
  const seen = await lookUpOrders(known, probe, (done, total) =>
    progress.update('orders', done, total),
  ).finally(() => probe.close())
  progress.end()

  const {dialect, name, merchantId} = profile
  const fields = seen.orders.length === 0 ? [] : findFields(seen.orders, dialect.response)
  const status = fields.find(({field}) => field === 'status')
  const statusField = status && status.state !== 'undecided' ? status.names[0] : undefined
  const orders = statusField === undefined ? seen.orders : await explain(seen.orders, statusField, dialect)
  const words = statusField === undefined ? [] : collectWords(orders, statusField, dialect)
  const changes = changesOf(name, fields, words, dialect)
  const edited = changes.length === 0 ? null : await editConfig(context.configPath, name, changes)
  const learned = (field: OrderField) =>
    fields.find((one) => one.field === field && one.state === 'found')?.names[0] ?? null
  const obstacles = obstaclesTo(
    seen,
    orders,
    readBack(orders, merchantId, edited ? dialectIn(edited, name) : dialect),
    words,
    {
      statusField: learned('status'),
      amountField: learned('amount'),
      notes: fields.filter(({state}) => state === 'kept').flatMap(({note}) => note ?? []),
    },
  )
  const proposal = obstacles.length === 0 ? edited : null
  return {
    edited: proposal,
    lesson: {
      orders: viewOrders(seen, orders, statusField, words),
      fields,
      seen: listFields(orders),
      words,
      unexplained: [
        ...new Set(
          words.filter(({told, reads}) => told === null && reads === 'unknown_status').map(({word}) => word),
        ),
      ],
      obstacles,
      toml: proposal && setTomlKeys('', changes),
      readBack: readBack(orders, merchantId, proposal ? dialectIn(proposal, name) : dialect),
    },
  }
}

/** At a terminal, asks for the meaning of each unknown word. */
async function explain(
  orders: readonly SeenOrder[],
  statusField: string,
  dialect: Dialect,
): Promise<readonly SeenOrder[]> {
  if (!isTerminal()) return orders
  const answers: Record<OrderKind, Map<string, OrderState>> = {deposit: new Map(), payout: new Map()}
  for (const {kind, word, told, reads, orders: numbers} of collectWords(orders, statusField, dialect)) {
    if (told !== null || reads !== 'unknown_status') continue
    const answer = await choose(
      `The service has the status "${escapeInvisible(word, 60)}" for the ${kind} ${escapeInvisible(numbers.join(', '), 80)}. What is that order?`,
      [
        {value: 'leave', name: 'I do not know: leave it unknown'},
        {value: 'completed', name: 'completed: the money has moved'},
        {value: 'open', name: 'open: it may still move'},
        {value: 'failed', name: 'failed: it has not moved and never will'},
      ],
    )
    if (answer !== 'leave') answers[kind].set(word, answer)
  }
  return orders.map((order) => {
    const word = order.data[statusField]
    return {
      ...order,
      told: order.told ?? (typeof word === 'string' ? (answers[order.kind].get(word) ?? null) : null),
    }
  })
}

function changesOf(
  profile: string,
  fields: readonly FieldFinding[],
  words: readonly SeenWord[],
  dialect: Dialect,
): TomlChange[] {
  const response = fields
    .filter(({state}) => state === 'found')
    .map(({field, names}): TomlChange => {
      const [only = ''] = names
      return {path: ['profiles', profile, 'response', field], value: names.length > 1 ? [...names] : only}
    })
  const status = orderKinds.flatMap((kind) =>
    Object.entries(proposeWords(kind, words, dialect.status[kind])).map(
      ([state, list]): TomlChange => ({path: ['profiles', profile, 'status', kind, state], value: [...list]}),
    ),
  )
  return [...response, ...status]
}

function dialectIn({text, path}: EditedConfig, profile: string): Dialect {
  const settings = parseConfig(text, path).profiles[profile]
  if (!settings) throw new Failure('bug', 'A proposal lost its profile.', 'Please report this.')
  return dialectOf(settings, (key) => key)
}

function viewOrders(
  {lookedUp}: Seen,
  orders: readonly SeenOrder[],
  statusField: string | undefined,
  words: readonly SeenWord[],
): Lesson['orders'] {
  return lookedUp.map(({kind, orderNo, found, told, why}) => {
    const order = orders.find((one) => one.kind === kind && one.orderNo === orderNo)
    const value = statusField === undefined ? undefined : order?.data[statusField]
    const word = words.find((one) => one.kind === kind && one.word === value)
    return {
      ...{kind, orderNo, found, why},
      word: word?.word ?? null,
      told: order?.told ?? told,
      reads: word?.reads ?? null,
    }
  })
}
