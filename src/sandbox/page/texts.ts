import {inDigits, type Language} from '../../core/language.ts'
import type {AmountProblem} from './amount.ts'

/** `agent` and `code` are in the digits of a telephone. */
interface StepParts {
  readonly channel: string
  readonly code: string
  readonly agent: string
  readonly amount: string
}

const en = {
  channels: {BKASH: 'bKash', NAGAD: 'Nagad', ROCKET: 'Rocket'},
  rehearsal: 'Rehearsal: do not send real money.',
  order: 'Order',
  language: 'Language',
  payee: 'Payment to',
  choose: {
    title: 'Add money',
    lead: 'Choose how much to pay and with which wallet.',
    amount: 'Amount',
    otherAmount: 'Or type an amount',
    channel: 'Wallet',
    go: 'Continue',
    busy: 'One moment…',
    keep: 'Keep what I chose',
  },
  wrong: {
    amount(problem: AmountProblem): string {
      switch (problem.kind) {
        case 'missing':
          return 'Choose an amount, or type one.'
        case 'zero':
          return 'Type an amount above zero.'
        case 'comma':
          return `Type ${problem.without} or ${problem.point}, without a comma.`
        case 'decimals':
          return 'Type at most two digits after the point, such as 500.50.'
        case 'large':
          return 'This amount is too large. Type at most 15 digits.'
        case 'unreadable':
          return 'Type the amount in digits only, such as 500 or 500.50.'
      }
    },
    channel: 'Choose bKash, Nagad or Rocket.',
  },
  pay: {
    title: (amount: string, channel: string) => `Pay ${amount} with ${channel}`,
    payBy: 'Pay by',
    timeLeft: 'time left',
    lastMinute: 'This is the last minute. Pay only if you can confirm it now.',
    amount: 'Amount',
    agent: 'Agent number',
    agentOf: (payee: string) => `This agent takes the money for ${payee}.`,
    copy: 'Copy',
    done: 'Copied',
    copied: (what: string) => `${what} copied`,
    copyFailed: 'Copying did not work. Press and hold the number to copy it.',
    howTo: 'What to do',
    steps: ({channel, code, agent, amount}: StepParts) => [
      `Open the ${channel} app, or dial ${code}.`,
      'Choose “Cash Out”.',
      `Enter the agent number ${agent}.`,
      `Enter exactly ${amount} and confirm with your PIN.`,
      'Come back to this page. It goes on by itself.',
    ],
    ownNumber: (phone: string) =>
      `Pay from your own number ${phone}. A payment from another number has to be checked by hand.`,
    waiting: 'Waiting for your payment',
    waitingHint: 'You need not reload this page.',
    change: 'Change amount or wallet',
    minutesLeft: (minutes: string) => (minutes === '1' ? '1 minute left' : `${minutes} minutes left`),
  },
  checking: {
    title: 'Your payment is being checked',
    text: (amount: string) =>
      `We received ${amount} from your number. It could not be matched by itself, so a person checks it. Do not pay again.`,
    received: 'Received',
    chosen: 'Chosen here',
  },
  paid: {
    title: 'Payment received',
    text: (amount: string) => `${amount} has arrived. Thank you.`,
    transaction: 'Transaction',
    amount: 'Amount',
    channel: 'Wallet',
    at: 'Received',
  },
  expired: {
    title: 'Time is up',
    text: 'This payment was not made in time. Please do not send money for it now.',
  },
  failed: {
    title: 'Payment closed',
    text: 'This payment was closed and nothing was received. Please do not send money for it.',
  },
  late: 'Have you paid already? Keep your transaction number and tell the site you came from.',
  discarded: (amount: string, transaction: string) =>
    `Your payment of ${amount} (transaction ${transaction}) was checked by a person and was not counted here. Ask the site you came from about it before you pay again.`,
  back: (host: string) => `Back to ${host}`,
  leave: (host: string) => `Leave without paying, to ${host}`,
  inFrame: 'You can go on at the site you came from now.',
  unknown: {
    title: 'No such payment',
    text: 'This address belongs to no payment. Go back to the site you came from and start again from there.',
  },
  offline:
    'No connection: this page may be out of date. If you have paid, do not pay again. Your payment counts all the same.',
  unsent: 'Your last step may not have arrived. Do it again when the connection is back.',
}

type Texts = typeof en

const bn: Texts = {
  channels: {BKASH: 'বিকাশ', NAGAD: 'নগদ', ROCKET: 'রকেট'},
  rehearsal: 'মহড়া চলছে: আসল টাকা পাঠাবেন না।',
  order: 'অর্ডার',
  language: 'ভাষা',
  payee: 'যাকে টাকা দিচ্ছেন',
  choose: {
    title: 'টাকা জমা দিন',
    lead: 'কত টাকা দেবেন এবং কোন ওয়ালেট থেকে দেবেন, বেছে নিন।',
    amount: 'টাকার পরিমাণ',
    otherAmount: 'অথবা পরিমাণ লিখুন',
    channel: 'ওয়ালেট',
    go: 'এগিয়ে যান',
    busy: 'একটু অপেক্ষা করুন…',
    keep: 'আগেরটাই থাকুক',
  },
  wrong: {
    amount(problem) {
      switch (problem.kind) {
        case 'missing':
          return 'টাকার একটি পরিমাণ বেছে নিন বা লিখুন।'
        case 'zero':
          return 'শূন্যের বেশি পরিমাণ লিখুন।'
        case 'comma':
          return `কমা ছাড়া ${inDigits(problem.without, 'bn')} বা ${inDigits(problem.point, 'bn')} লিখুন।`
        case 'decimals':
          return 'দশমিকের পরে বেশি হলে দুটি অঙ্ক লিখুন, যেমন ৫০০.৫০।'
        case 'large':
          return 'পরিমাণটি খুব বড়। বেশি হলে ১৫ অঙ্ক লিখুন।'
        case 'unreadable':
          return 'পরিমাণ শুধু অঙ্কে লিখুন, যেমন ৫০০ বা ৫০০.৫০।'
      }
    },
    channel: 'বিকাশ, নগদ বা রকেট থেকে একটি বেছে নিন।',
  },
  pay: {
    title: (amount, channel) => `${channel} থেকে ${amount} দিন`,
    payBy: 'টাকা দেওয়ার শেষ সময়',
    timeLeft: 'বাকি',
    lastMinute: 'এটাই শেষ মিনিট। এখনই নিশ্চিত করতে পারলে তবেই টাকা পাঠান।',
    amount: 'টাকার পরিমাণ',
    agent: 'এজেন্ট নম্বর',
    agentOf: (payee) => `এই এজেন্ট ${payee}-এর জন্য টাকা নেন।`,
    copy: 'কপি করুন',
    done: 'কপি হয়েছে',
    copied: (what) => `${what} কপি হয়েছে`,
    copyFailed: 'কপি করা গেল না। নম্বরটি চেপে ধরে কপি করুন।',
    howTo: 'যা করতে হবে',
    steps: ({channel, code, agent, amount}) => [
      `${channel} অ্যাপ খুলুন, অথবা ${code} ডায়াল করুন।`,
      '“ক্যাশ আউট” বেছে নিন।',
      `এজেন্ট নম্বর ${agent} লিখুন।`,
      `ঠিক ${amount} লিখুন এবং আপনার পিন দিয়ে নিশ্চিত করুন।`,
      'এই পাতায় ফিরে আসুন। বাকিটা নিজে থেকেই হবে।',
    ],
    ownNumber: (phone) => `আপনার নিজের নম্বর ${phone} থেকে টাকা পাঠান। অন্য নম্বর থেকে পাঠালে তা হাতে যাচাই করতে হয়।`,
    waiting: 'আপনার পেমেন্টের অপেক্ষায় আছি',
    waitingHint: 'পাতাটি রিলোড করার দরকার নেই।',
    change: 'পরিমাণ বা ওয়ালেট বদলান',
    minutesLeft: (minutes) => `আর ${minutes} মিনিট বাকি`,
  },
  checking: {
    title: 'আপনার পেমেন্ট যাচাই করা হচ্ছে',
    text: (amount) =>
      `আপনার নম্বর থেকে ${amount} পেয়েছি। এটি নিজে থেকে মেলানো যায়নি, তাই একজন কর্মী দেখছেন। আবার টাকা পাঠাবেন না।`,
    received: 'পাওয়া গেছে',
    chosen: 'এখানে বেছে নেওয়া',
  },
  paid: {
    title: 'পেমেন্ট পাওয়া গেছে',
    text: (amount) => `${amount} পৌঁছেছে। ধন্যবাদ।`,
    transaction: 'লেনদেন নম্বর',
    amount: 'টাকার পরিমাণ',
    channel: 'ওয়ালেট',
    at: 'পাওয়ার সময়',
  },
  expired: {
    title: 'সময় শেষ',
    text: 'নির্ধারিত সময়ের মধ্যে পেমেন্ট হয়নি। এখন আর এর জন্য টাকা পাঠাবেন না।',
  },
  failed: {
    title: 'পেমেন্ট বন্ধ করা হয়েছে',
    text: 'এই পেমেন্টটি বন্ধ করা হয়েছে, কোনো টাকা পাওয়া যায়নি। এর জন্য টাকা পাঠাবেন না।',
  },
  late: 'টাকা পাঠিয়ে ফেলেছেন? লেনদেন নম্বরটি রেখে দিন এবং যে সাইট থেকে এসেছেন তাদের জানান।',
  discarded: (amount, transaction) =>
    `আপনার ${amount} পেমেন্টটি (লেনদেন নম্বর ${transaction}) একজন কর্মী যাচাই করেছেন এবং এটি এখানে ধরা হয়নি। আবার টাকা পাঠানোর আগে যে সাইট থেকে এসেছেন তাদের জিজ্ঞেস করুন।`,
  back: (host) => `${host}-এ ফিরে যান`,
  leave: (host) => `টাকা না দিয়ে ${host}-এ ফিরে যান`,
  inFrame: 'এখন যে সাইট থেকে এসেছেন সেখানে কাজ চালিয়ে যেতে পারেন।',
  unknown: {
    title: 'এমন কোনো পেমেন্ট নেই',
    text: 'এই ঠিকানায় কোনো পেমেন্ট নেই। যে সাইট থেকে এসেছেন সেখানে ফিরে গিয়ে আবার শুরু করুন।',
  },
  offline: 'সংযোগ নেই: পাতাটি পুরোনো হতে পারে। টাকা পাঠিয়ে থাকলে আবার পাঠাবেন না। আপনার পেমেন্ট ধরা হবে।',
  unsent: 'আপনার শেষ কাজটি হয়তো পৌঁছায়নি। সংযোগ ফিরলে আবার করুন।',
}

export const textsOf: Readonly<Record<Language, Texts>> = {en, bn}
