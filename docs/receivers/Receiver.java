// A receiver of webhooks and a signer of requests, for Java 11 and later, without packages.
//   HISAB_API_SECRET=SECRET java Receiver.java         receives at http://127.0.0.1:3000/webhook (PORT)
//   HISAB_API_SECRET=SECRET java Receiver.java sign    reads a request's JSON on stdin, prints its signature
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    // Stands for your database. Each line is one fact; a line that is there is not written again.
    static final Path PATH = Path.of(System.getenv().getOrDefault("BOOKS", "books.log"));
    static final Set<String> BOOKS = new HashSet<>();

    static String lineOf(String... cells) {
        return Arrays.stream(cells)
            .map(cell -> URLEncoder.encode(cell, StandardCharsets.UTF_8))
            .collect(Collectors.joining("\t"));
    }

    static void write(String... cells) throws IOException {
        String line = lineOf(cells);
        if (BOOKS.contains(line)) return;
        try (FileChannel file =
                FileChannel.open(PATH, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            // A line that a crash cut off is ended, and means nothing.
            ByteBuffer bytes = ByteBuffer.wrap(("\n" + line + "\n").getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) file.write(bytes);
            // On the disk before the answer: an event answered with 200 never comes again.
            file.force(true);
        }
        BOOKS.add(line);
    }

    static boolean isBooked(String... cells) {
        String start = lineOf(cells) + "\t";
        return BOOKS.stream().anyMatch(line -> line.startsWith(start));
    }

    static boolean says(String event, String status, String name, List<String> words) {
        if (event.isEmpty() && status.isEmpty()) return false;
        return (event.isEmpty() || event.equals(name)) && (status.isEmpty() || words.contains(status));
    }

    /** Books one genuine event. A second delivery of it changes nothing. One at a time. */
    static synchronized void book(Map<String, String> fields) throws IOException {
        Map<String, String> text = new HashMap<>(fields);
        text.values().removeIf(value -> value == null || value.isEmpty());
        String number = text.getOrDefault("orderNo", text.getOrDefault("outOrderNo", ""));
        String order = text.getOrDefault("platformOrderNo", number);
        String event = text.getOrDefault("event", "");
        String status = text.getOrDefault("status", "");
        String player = text.getOrDefault("playerRef", "");
        String amount = text.getOrDefault("amount", "");
        boolean isCompleted = says(event, status, "order.completed", COMPLETED);
        boolean isFailed = !isCompleted && says(event, status, "order.failed", FAILED);
        String[] aside = {"set_aside", order, number, event, status, amount};
        // Only a deposit has a playerRef. What has both marks is neither for certain.
        boolean isPayout = player.isEmpty() || text.containsKey("outOrderNo");
        if (!(isCompleted || isFailed) || order.isEmpty() || (isPayout && !player.isEmpty())) {
            write(aside);
        } else if (isPayout) {
            String state = isCompleted ? "completed" : "failed";
            String[] paid = {"payout", order, state, number};
            write(isBooked("payout", order, isCompleted ? "failed" : "completed") ? aside : paid);
        } else if (isFailed) {
            String[] failed = {"deposit_failed", order, number};
            write(isBooked("credit", order) ? aside : failed);
        } else if (!amount.matches("[0-9]+(\\.[0-9]{1,2})?") || !amount.matches(".*[1-9].*")) {
            write(aside);
        } else {
            // Credited already: the same again is a retry, another amount or player is for a person.
            String[] credit = {"credit", order, player, amount, number};
            write(isBooked("credit", order) && !isBooked("credit", order, player, amount) ? aside : credit);
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
        if (Files.exists(PATH)) BOOKS.addAll(Files.readAllLines(PATH, StandardCharsets.UTF_8));
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
