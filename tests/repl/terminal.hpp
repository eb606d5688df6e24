#pragma once
// The program on a pseudo-terminal, as a person would sit before it.

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace credence::test {

/// An empty folder of its own, removed at the end.
class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "credence-repl-XXXXXX").string();
        if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

inline const std::string ctrl_c = "\x03";
inline const std::string ctrl_d = "\x04";
inline const std::string ctrl_r = "\x12";
inline const std::string up = "\x1b[A";
inline const std::string arrow_left = "\x1b[D";
inline const std::string paste_begin = "\x1b[200~";
inline const std::string paste_end = "\x1b[201~";

class Terminal {
public:
    /// Starts in the folder and waits for the greeting; its history is there too. Without NO_COLOR when `color`.
    explicit Terminal(const Folder& folder, const std::vector<std::string>& arguments = {}, bool color = false,
                      const std::string& greeting = "Ctrl-D leaves") {
        const winsize size{.ws_row = 50, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};
        process_ = forkpty(&master_, nullptr, nullptr, &size);
        if (process_ < 0) throw std::runtime_error("forkpty");
        if (process_ == 0) {
            setenv("TERM", "xterm", 1);
            setenv("LC_ALL", "C", 1);  // UTF-8 must work whatever the locale is
            setenv("XDG_STATE_HOME", folder.path().c_str(), 1);
            setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
            if (color) {
                unsetenv("NO_COLOR");
            } else {
                setenv("NO_COLOR", "1", 1);
            }
            std::vector<char*> argv{const_cast<char*>(CREDENCE_PROGRAM)};
            for (const auto& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
            argv.push_back(nullptr);
            if (chdir(folder.path().c_str()) == 0) execv(CREDENCE_PROGRAM, argv.data());
            _exit(127);
        }
        sees(greeting);
    }
    ~Terminal() {
        if (process_ > 0) {
            kill(process_, SIGKILL);
            waitpid(process_, nullptr, 0);
        }
        close(master_);
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    /// Waits for the prompt first: keys pressed while a statement runs are the terminal driver's, not the editor's.
    void type(const std::string& text) {
        await([&] { return screen_.find("\n> ", typed_at_) != std::string::npos || screen_.find("\n… ", typed_at_) != std::string::npos; },
              "a prompt", 30);
        press(text);
        if (text.find_first_of("\r\x03\x04") != std::string::npos) typed_at_ = screen_.size();
    }
    void enter(const std::string& line) { type(line + "\r"); }
    /// At once, whatever runs.
    void press(const std::string& keys) {
        if (write(master_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size())) throw std::runtime_error("write");
    }

    /// Reads on until the text was printed after what was seen before; throws with all that came where it is not within the time.
    void sees(const std::string& text, double seconds = 30) {
        await([&] { return screen_.find(text, seen_) != std::string::npos; }, text, seconds);
        seen_ = screen_.find(text, seen_) + text.size();
    }
    /// Everything since what was last seen, after waiting for the text; nothing of it counts as seen.
    std::string glance(const std::string& text) {
        await([&] { return screen_.find(text, seen_) != std::string::npos; }, text, 30);
        return screen_.substr(seen_);
    }
    /// What came between what was last seen and the text.
    std::string until(const std::string& text) {
        const auto from = seen_;
        sees(text);
        return screen_.substr(from, seen_ - text.size() - from);
    }
    void signal(int number) const { kill(process_, number); }
    /// All that came so far, with what is not text.
    const std::string& raw() const { return raw_; }

    /// Waits for the end of the program: its exit status, -1 for a signal.
    int leaves() {
        while (read_some(30)) {}
        int status = 0;
        for (int i = 0; i < 300 && waitpid(process_, &status, WNOHANG) == 0; ++i) usleep(100000);
        if (kill(process_, 0) == 0) throw std::runtime_error("still there; last seen: " + screen_.substr(seen_));
        process_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    template <class Condition>
    void await(const Condition& holds, const std::string& what, double seconds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        while (!holds()) {
            const std::chrono::duration<double> left = end - std::chrono::steady_clock::now();
            if (left.count() <= 0 || !read_some(left.count()))
                throw std::runtime_error("not seen: " + what + "\nafter: " + screen_.substr(0, seen_) + "\n---\n" + screen_.substr(seen_));
        }
    }
    bool read_some(double seconds) {
        pollfd ready{.fd = master_, .events = POLLIN, .revents = 0};
        if (poll(&ready, 1, static_cast<int>(seconds * 1000) + 1) <= 0) return false;
        char buffer[4096];
        const auto got = read(master_, buffer, sizeof buffer);
        if (got <= 0) return false;
        screen_.append(buffer, static_cast<std::size_t>(got));
        raw_.append(buffer, static_cast<std::size_t>(got));
        // What switches the marking of pastes on and off is not text.
        for (const std::string mark : {"\x1b[?2004h", "\x1b[?2004l"})
            for (auto at = screen_.find(mark, seen_); at != std::string::npos; at = screen_.find(mark, at)) screen_.erase(at, mark.size());
        return true;
    }

    int master_ = -1;
    pid_t process_ = -1;
    std::string screen_;
    std::string raw_;
    std::size_t seen_ = 0;
    std::size_t typed_at_ = 0;  ///< the next prompt comes after it
};

inline std::string contents(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The line editor of the build: replxx, libedit or plain.
inline bool has_line_editor(const std::string& name) {
    FILE* said = popen(CREDENCE_PROGRAM " --version", "r");
    char text[200] = {};
    const bool known = said && fgets(text, sizeof text, said);
    if (said) pclose(said);
    if (!known) throw std::runtime_error("the program does not say its version");
    return std::string(text).find("line editor: " + name) != std::string::npos;
}

/// False where the build has neither replxx nor libedit: then there is no history and no completion.
inline bool edits_lines() { return !has_line_editor("plain"); }

}  // namespace credence::test
