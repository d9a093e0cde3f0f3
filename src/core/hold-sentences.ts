/** Why a webhook is not resent, with the Bangla: a part of `sentences.ts`. */
export const holdSentences: Readonly<Record<string, string>> = {
  'Not resent: it may have been paid anew as {number}.':
    'আবার পাঠানো হয়নি: {number} হিসেবে নতুন করে পরিশোধ হয়ে থাকতে পারে।',
  'Not resent: a person recorded it as paid.': 'আবার পাঠানো হয়নি: একজন একে পরিশোধিত বলে লিখেছেন।',
  'Not resent: {place} names it, and is not read as a row.':
    'আবার পাঠানো হয়নি: {place}-এ এর নাম আছে, যা সারি হিসেবে পড়া হয় না।',
  'Not resent: {place} speaks, beside another row of its player, of more than that row.':
    'আবার পাঠানো হয়নি: {place} একই খেলোয়াড়ের অন্য সারির পাশে সেই সারির চেয়ে বেশি কিছু বলে।',
  'Not resent: {place} tells of a booking that may be this order.':
    'আবার পাঠানো হয়নি: {place} এমন কিছু খাতায় তোলার কথা বলে, যা এই অর্ডার হতে পারে।',
  'Not resent: {place} stands below the rows and is no usual footer: it may tell of bookings.':
    'আবার পাঠানো হয়নি: {place} সারিগুলোর নিচে আছে, চেনা পাদটীকা নয়: খাতায় তোলার কথা হতে পারে।',
  'Not resent: {place} has its amount, its last digits or its player, and is not read as a row.':
    'আবার পাঠানো হয়নি: {place}-এ এর অঙ্ক, শেষ সংখ্যা বা খেলোয়াড় আছে, যা সারি হিসেবে পড়া হয় না।',
  'Not resent: {place} names its player, and is not read as a row.':
    'আবার পাঠানো হয়নি: {place}-এ এর খেলোয়াড়ের নাম আছে, যা সারি হিসেবে পড়া হয় না।',
  'Not resent: {place} has its player in a list of bookings by hand.':
    'আবার পাঠানো হয়নি: {place}-এ হাতে তোলার তালিকায় এর খেলোয়াড় আছে।',
  'Not resent: {place} says so in its own row.': 'আবার পাঠানো হয়নি: {place} নিজের সারিতেই তা বলে।',
  'Not resent: {place} is in its own row, and few or no unpaid orders have the same.':
    'আবার পাঠানো হয়নি: {place} নিজের সারিতে আছে, টাকা না পাওয়া অর্ডারের সারিতে তা নেই বা কমই আছে।',
  'Not resent: {by} noted {text}.': 'আবার পাঠানো হয়নি: {by} লিখেছেন {text}।',
  'Not resent: {place} is a heading above its row and tells of bookings.':
    'আবার পাঠানো হয়নি: {place} এর সারির উপরের শিরোনাম, যা খাতায় তোলার কথা বলে।',
  'Not resent: {place} says in its own row that the money went back or must not be credited.':
    'আবার পাঠানো হয়নি: {place} নিজের সারিতেই বলে যে টাকা ফেরত গেছে বা জমা করা যাবে না।',
  'Not resent: {place} is booked {how}, and the service does not know that number, so it may be this order.':
    'আবার পাঠানো হয়নি: {place} খাতায় উঠেছে ({how}), সার্ভিস সে নম্বর চেনে না; সেটি এই অর্ডার হতে পারে।',
  'Not resent: {place} is booked {how}, and its order is not paid at the service, so it may be this order.':
    'আবার পাঠানো হয়নি: {place} খাতায় উঠেছে ({how}), সার্ভিসে তার অর্ডারের টাকা আসেনি; সেটি এই অর্ডার হতে পারে।',
  'Not resent: {place} is booked {how}, and its order is paid less at the service, so it may be this order.':
    'আবার পাঠানো হয়নি: {place} খাতায় উঠেছে ({how}), সার্ভিসে তার অর্ডারের টাকা কম এসেছে; সেটি এই অর্ডার হতে পারে।',
  'Not resent: {place} is booked {how}, and another row has its number, so it may be this order.':
    'আবার পাঠানো হয়নি: {place} খাতায় উঠেছে ({how}), আরেক সারিতে একই নম্বর আছে; সেটি এই অর্ডার হতে পারে।',
  'Not resent: {why}, and the export may have left out this order.':
    'আবার পাঠানো হয়নি: {why}; এক্সপোর্টে অর্ডারটি বাদ পড়ে থাকতে পারে।',
  'Not resent: delivery record {record} was taken by your server and may be of this order.':
    'আবার পাঠানো হয়নি: ওয়েবহুকের রেকর্ড {record} আপনার সার্ভার নিয়েছে, এই অর্ডারের হতে পারে।',
  'Not resent: words in the ledger of run {run} ({text}) may say that it is booked.':
    'আবার পাঠানো হয়নি: যাচাই {run}-এর খাতার লেখা ({text}) বলতে পারে যে এটি খাতায় উঠেছে।',
  'Not resent: words in the ledger of run {run} may say that it is booked.':
    'আবার পাঠানো হয়নি: যাচাই {run}-এর খাতার লেখা বলতে পারে যে এটি খাতায় উঠেছে।',
  'Not resent: words in the ledger of run {run} name its player and are no row, so it may be booked.':
    'আবার পাঠানো হয়নি: যাচাই {run}-এর খাতার লেখায় এর খেলোয়াড়ের নাম আছে, যা সারি নয়; এটি খাতায় উঠে থাকতে পারে।',
  'Not resent: run {run} found it booked.': 'আবার পাঠানো হয়নি: যাচাই {run} একে খাতায় পেয়েছে।',
  'Not resent: {place} is booked {how}, and the service gave no answer about that number, so it may be this order.':
    'আবার পাঠানো হয়নি: {place} খাতায় উঠেছে ({how}), সার্ভিস সে নম্বর নিয়ে উত্তর দেয়নি; সেটি এই অর্ডার হতে পারে।',
  'Not resent: {place} cannot be read, and may be booked {how}, so it may be this order.':
    'আবার পাঠানো হয়নি: {place} পড়া যায় না, খাতায় উঠে থাকতে পারে ({how}); সেটি এই অর্ডার হতে পারে।',
  'Not resent: {row} cannot be read and may be this order.': 'আবার পাঠানো হয়নি: {row} পড়া যায় না, এই অর্ডার হতে পারে।',
  'Not resent: {row} is completed {how} and may be this order.':
    'আবার পাঠানো হয়নি: {row} সম্পন্ন, {how}, এই অর্ডার হতে পারে।',
  'Not resent: {row} is completed and may be this order.': 'আবার পাঠানো হয়নি: {row} সম্পন্ন, এই অর্ডার হতে পারে।',
  'Not resent: its ignore ended on {day}.': 'আবার পাঠানো হয়নি: {day}-এ এর উপেক্ষা শেষ হয়েছে।',
}
