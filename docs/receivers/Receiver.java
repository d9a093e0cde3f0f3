// A receiver of webhooks and a signer of requests, for Java 11 and later, without packages.
//   HISAB_API_SECRET=SECRET java Receiver.java         receives at http://127.0.0.1:3000/webhook (PORT)
//   HISAB_API_SECRET=SECRET java Receiver.java sign    reads a request's JSON on stdin, prints its signature
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

public class Receiver {
    // The service's words, matched exactly. Any other word is neither paid nor failed.
    static final List<String> COMPLETED = List.of("completed");
    static final List<String> FAILED = List.of("failed");

    static final String SECRET = System.getenv().getOrDefault("HISAB_API_SECRET", "");

    /** The MD5 signature of fields by name; each is text, or null where it is left out. */
    static String sign(Map<String, String> fields) throws Exception {
        StringBuilder text = new StringBuilder();
        // A TreeMap sorts by code unit: A before _ before a.
        for (Map.Entry<String, String> field : new TreeMap<>(fields).entrySet()) {
            if (field.getKey().equals("signature") || field.getValue() == null) continue;
            text.append(text.length() == 0 ? "" : "&").append(field.getKey()).append('=').append(field.getValue());
        }
        text.append("&key=").append(SECRET);
        byte[] digest = MessageDigest.getInstance("MD5").digest(text.toString().getBytes(StandardCharsets.UTF_8));
        StringBuilder hex = new StringBuilder();
        for (byte one : digest) hex.append(String.format("%02x", one));
        return hex.toString();
    }

    /** The fields of a webhook's raw bytes, or null: then answer 401, and act on nothing. */
    static Map<String, String> verify(byte[] body) throws Exception {
        Map<String, String> fields = readFlatJson(body);
        String given = fields == null ? null : fields.get("signature");
        if (given == null) return null;
        byte[] expected = sign(fields).getBytes(StandardCharsets.UTF_8);
        if (!MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), expected)) return null;
        for (Map.Entry<String, String> field : fields.entrySet()) {
            String value = field.getValue() == null ? "" : field.getValue();
            // "u7&status=completed" in one field signs like two fields.
            if (field.getKey().matches("(?s).*[=&].*") || value.matches("(?s).*&[^&=]*=.*")) return null;
        }
        return fields;
    }

    static final String STRING = "\"(?:[^\"\\\\\\x00-\\x1f]++|\\\\(?:[\"\\\\/bfnrt]|u[0-9a-fA-F]{4}))*+\"";
    static final String VALUE = STRING + "|-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null";
    static final String BLANK = "[ \\t\\r\\n]*";
    static final Pattern PAIR =
        Pattern.compile("\\G" + BLANK + "(" + STRING + ")" + BLANK + ":" + BLANK + "(" + VALUE + ")" + BLANK + "([,}])");

    /** One flat JSON object, numbers by the text that stands there. Null for anything else, and for a name that comes twice. */
    static Map<String, String> readFlatJson(byte[] body) {
        try {
            String json = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
            Matcher start = Pattern.compile("^" + BLANK + "\\{").matcher(json);
            if (!start.find()) return null;
            Map<String, String> fields = new HashMap<>();
            Matcher pair = PAIR.matcher(json).region(start.end(), json.length());
            while (pair.find()) {
                String name = readString(pair.group(1));
                String value = pair.group(2);
                if (fields.containsKey(name)) return null;
                fields.put(name, value.equals("null") ? null : value.startsWith("\"") ? readString(value) : value);
                if (pair.group(3).equals("}")) return json.substring(pair.end()).matches(BLANK) ? fields : null;
            }
            return null;
        } catch (CharacterCodingException | StackOverflowError error) {
            return null;
        }
    }

    static String readString(String quoted) throws CharacterCodingException {
        StringBuilder text = new StringBuilder();
        for (int at = 1; at < quoted.length() - 1; at++) {
            char one = quoted.charAt(at);
            if (one == '\\') {
                char escaped = quoted.charAt(++at);
                int known = "bfnrt".indexOf(escaped);
                one = known < 0 ? escaped : "\b\f\n\r\t".charAt(known);
                if (escaped == 'u') {
                    one = (char) Integer.parseInt(quoted.substring(at + 1, at + 5), 16);
                    at += 4;
                }
            }
            text.append(one);
        }
        // Half of a surrogate pair has no bytes.
        StandardCharsets.UTF_8.newEncoder().encode(java.nio.CharBuffer.wrap(text));
        return text.toString();
    }

    // Stands for your database. Each line is one fact: its kind, the order, what is booked of it, the order number.
    static final Path PATH = Path.of(System.getenv().getOrDefault("BOOKS", "books.log"));
    static final List<List<String>> FACTS = new ArrayList<>();
    static long size = 0;

    static void readFacts() throws IOException {
        String stored = Files.exists(PATH) ? Files.readString(PATH, StandardCharsets.US_ASCII) : "";
        // A last line without its end was cut off by a crash, and means nothing.
        size = stored.lastIndexOf('\n') + 1;
        FACTS.clear();
        for (String line : stored.substring(0, (int) size).split("\n")) {
            FACTS.add(Arrays.stream(line.split("\t", -1))
                .map(cell -> URLDecoder.decode(cell, StandardCharsets.UTF_8))
                .collect(Collectors.toList()));
        }
    }

    static void write(List<String> fact) throws IOException {
        if (FACTS.contains(fact)) return;
        String line = fact.stream()
            .map(cell -> URLEncoder.encode(cell, StandardCharsets.UTF_8))
            .collect(Collectors.joining("\t"));
        try (FileChannel file = FileChannel.open(PATH, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.US_ASCII));
            // What a crash or a full disk left of a line goes first.
            file.truncate(size).position(size);
            while (bytes.hasRemaining()) file.write(bytes);
            // On the disk before the answer: an event answered with 200 never comes again.
            file.force(true);
        }
        size += line.length() + 1;
        FACTS.add(fact);
    }

    /** What is booked of an order. An event may lack one of the order's two numbers. */
    static List<List<String>> factsOf(String kind, String order, String number) {
        return FACTS.stream()
            .filter(fact -> fact.get(0).equals(kind) || fact.get(0).equals(kind + "_again"))
            .filter(fact -> fact.get(1).equalsIgnoreCase(order) || !number.isEmpty()
                && (fact.get(1).equals(number) || fact.get(fact.size() - 1).equals(number)))
            .collect(Collectors.toList());
    }

    /** Books an order once. False if it is booked otherwise: that is for a person. */
    static boolean bookOnce(String kind, String order, String number, String... what) throws IOException {
        List<List<String>> known = factsOf(kind, order, number);
        for (List<String> fact : known) {
            String otherOrder = fact.get(1);
            String otherNumber = fact.get(fact.size() - 1);
            boolean haveOrders = !order.equals(number) && !otherOrder.equals(otherNumber);
            boolean haveNumbers = !number.isEmpty() && !otherNumber.isEmpty();
            if (haveOrders && !order.equalsIgnoreCase(otherOrder)) return false;
            if (haveNumbers && !number.equals(otherNumber)) return false;
            if (!fact.subList(2, fact.size() - 1).equals(List.of(what))) return false;
            if (order.equals(otherOrder) && number.equals(otherNumber)) return true;
        }
        List<String> fact = new ArrayList<>(List.of(known.isEmpty() ? kind : kind + "_again", order));
        fact.addAll(List.of(what));
        fact.add(number);
        write(fact);
        return true;
    }

    static boolean says(String event, String status, String name, List<String> words) {
        if (event.isEmpty() && status.isEmpty()) return false;
        return (event.isEmpty() || event.equals(name)) && (status.isEmpty() || words.contains(status));
    }

    /** Books one genuine event. A second delivery of it changes nothing. One at a time. */
    static synchronized void book(Map<String, String> fields) throws IOException {
        // Another process may have written. Two that write at once need the transactions of a database.
        readFacts();
        Map<String, String> text = new HashMap<>(fields);
        text.values().removeIf(value -> value == null || value.isBlank());
        String number = text.getOrDefault("orderNo", text.getOrDefault("outOrderNo", "")).trim();
        String order = text.getOrDefault("platformOrderNo", number).trim();
        String event = text.getOrDefault("event", "");
        String status = text.getOrDefault("status", "");
        String player = Objects.toString(fields.get("playerRef"), "");
        String amount = text.getOrDefault("amount", "");
        boolean isCompleted = says(event, status, "order.completed", COMPLETED);
        boolean isFailed = !isCompleted && says(event, status, "order.failed", FAILED);
        List<String> aside = List.of("set_aside", order, number, event, status, amount);
        // Only a deposit has a playerRef. What has both marks, or blanks for a player, is neither for certain.
        boolean isPayout = player.isEmpty() || text.containsKey("outOrderNo");
        if (!(isCompleted || isFailed) || order.isEmpty() || (isPayout ? !player.isEmpty() : player.isBlank())) {
            write(aside);
        } else if (isPayout) {
            if (!bookOnce("payout", order, number, isCompleted ? "completed" : "failed")) write(aside);
        } else if (isFailed) {
            write(factsOf("credit", order, number).isEmpty() ? List.of("deposit_failed", order, number) : aside);
        } else if (!amount.matches("[0-9]+(\\.[0-9]{1,2})?") || !amount.matches(".*[1-9].*")) {
            write(aside);
        } else {
            String exact = new BigDecimal(amount).setScale(2).toPlainString();
            // Credited already: the same again is a retry, another amount or player is for a person.
            if (!bookOnce("credit", order, number, player, exact)) write(aside);
        }
    }

    static int receive(HttpExchange exchange) throws Exception {
        if (!exchange.getRequestMethod().equals("POST")) return 405;
        byte[] body = exchange.getRequestBody().readNBytes(65537);
        if (body.length > 65536) return 413;
        Map<String, String> fields = verify(body);
        if (fields == null) return 401;
        book(fields);
        // Everything genuine, also what failed or is not understood: with 4xx it comes five times more, and then never.
        return 200;
    }

    public static void main(String[] args) throws Exception {
        if (SECRET.isBlank()) throw new IllegalStateException("HISAB_API_SECRET is empty: an empty secret signs anything.");
        if (args.length == 1 && args[0].equals("sign")) {
            Map<String, String> fields = readFlatJson(System.in.readAllBytes());
            if (fields == null) throw new IllegalArgumentException("Give one flat JSON object, each name once.");
            System.out.println(sign(fields));
            return;
        }
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "3000"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.createContext("/", exchange -> {
            int status = 500;
            try {
                status = receive(exchange);
            } catch (Exception error) {
                System.err.println(error);
            }
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
        System.out.println("http://127.0.0.1:" + port + "/webhook");
    }
}
