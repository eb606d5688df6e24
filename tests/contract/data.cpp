#include <sstream>

#include "tests/contract/contract.hpp"

namespace credence::contract {

namespace {

std::string spaced(std::string word) {
    for (char& c : word)
        if (c == '_') c = ' ';
    return word;
}

/// "a b -> c ; 1 x -> 2": as in a table block, rows separated by ';', '_' a space within a cell, '?' a missing cell.
rt::TablePtr table_of(const std::string& text) {
    std::vector<std::vector<std::string>> rows(1);
    std::optional<std::size_t> target;
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        if (word == "->")
            target = rows.size() == 1 ? rows[0].size() : *target;
        else if (word == ";")
            rows.emplace_back();
        else
            rows.back().push_back(rows.size() == 1 ? word : spaced(word));
    }
    auto out = std::make_shared<rt::Table>();
    out->row_count = rows.size() - 1;
    out->target = target;
    for (std::size_t c = 0; c < rows[0].size(); ++c) {
        rt::ColumnBuilder column(rows[0][c]);
        for (std::size_t r = 1; r < rows.size(); ++r) {
            if (rows[r][c] == "?")
                column.add_missing();
            else
                column.add(rt::Label::of_text(rows[r][c]));
        }
        out->columns.push_back(*std::move(column).finish());
    }
    return out;
}

}  // namespace

const std::vector<Data>& data() {
    static const std::vector<Data> all = {
        // Mitchell 1997, table 3.2.
        {"tennis", table_of("Outlook Temperature Humidity Wind -> Play ; Sunny Hot High Weak -> No ; Sunny Hot High Strong -> No ; "
                            "Overcast Hot High Weak -> Yes ; Rain Mild High Weak -> Yes ; Rain Cool Normal Weak -> Yes ; "
                            "Rain Cool Normal Strong -> No ; Overcast Cool Normal Strong -> Yes ; Sunny Mild High Weak -> No ; "
                            "Sunny Cool Normal Weak -> Yes ; Rain Mild Normal Weak -> Yes ; Sunny Mild Normal Strong -> Yes ; "
                            "Overcast Mild High Strong -> Yes ; Overcast Hot Normal Weak -> Yes ; Rain Mild High Strong -> No")},
        // Mitchell 1997, table 2.1: a conjunction fits it.
        {"sport", table_of("Sky AirTemp Humidity Wind Water Forecast -> EnjoySport ; Sunny Warm Normal Strong Warm Same -> Yes ; "
                           "Sunny Warm High Strong Warm Same -> Yes ; Rainy Cold High Strong Warm Change -> No ; "
                           "Sunny Warm High Strong Cool Change -> Yes")},
        // Two clouds that overlap.
        {"clouds", table_of("x y -> class ; 1.0 2.1 -> a ; 1.5 1.8 -> a ; 2.2 2.9 -> a ; 0.7 0.9 -> a ; 3.6 2.4 -> a ; 2.9 1.1 -> a ; "
                            "4.1 4.7 -> b ; 5.2 3.8 -> b ; 4.8 5.5 -> b ; 2.6 4.4 -> b ; 6.1 4.9 -> b ; 3.4 3.9 -> b ; 5.7 6.2 -> b")},
        // Three labels, words and numbers.
        {"fruit", table_of("colour weight -> kind ; green 150 -> apple ; red 170 -> apple ; red 140 -> apple ; green 160 -> apple ; "
                           "yellow 120 -> banana ; yellow 118 -> banana ; green 125 -> banana ; red 9 -> cherry ; red 8 -> cherry ; "
                           "yellow 11 -> cherry ; red 10 -> cherry")},
        // Numbers from numbers, not on a line.
        {"heat", table_of("u v -> w ; 1 4 -> 3.1 ; 2 3 -> 4.2 ; 3 7 -> 4.4 ; 4 1 -> 7.9 ; 5 6 -> 7.2 ; 6 2 -> 10.4 ; 7 8 -> 9.1 ; "
                          "8 5 -> 12.6 ; 9 9 -> 11.8 ; 10 3 -> 17.3")},
        // A number from a word and a number.
        {"rent", table_of("area rooms -> price ; city 1 -> 620 ; city 2 -> 905 ; city 3 -> 1190 ; city 4 -> 1525 ; land 1 -> 410 ; "
                          "land 2 -> 515 ; land 3 -> 690 ; land 4 -> 785 ; land 5 -> 940")},
        // Words in a column.
        {"mail",
         table_of("words -> folder ; cheap_pills_buy_now -> junk ; buy_cheap_watches -> junk ; now_cheap_cheap_offer -> junk ; "
                  "meeting_at_noon -> keep ; lunch_at_noon -> keep ; notes_of_the_meeting -> keep ; the_offer_we_discussed -> keep")},
    };
    return all;
}

const std::vector<Data>& data_for_parameters() {
    static const std::vector<Data> all = {
        // Mitchell 1997, table 3.2, with cells left out.
        {"holes", table_of("Outlook Temperature Humidity Wind -> Play ; Sunny Hot High Weak -> No ; Sunny Hot ? Strong -> No ; "
                           "Overcast Hot High Weak -> Yes ; ? Mild High Weak -> Yes ; Rain Cool Normal ? -> Yes ; "
                           "Rain ? Normal Strong -> No ; Overcast Cool ? Strong -> Yes ; ? Mild High Weak -> No ; "
                           "Sunny Cool Normal Weak -> Yes ; Rain Mild Normal Weak -> Yes ; Sunny Mild Normal Strong -> Yes ; "
                           "? Mild High Strong -> Yes ; Overcast Hot Normal Weak -> Yes ; Rain Mild ? Strong -> No")},
        // A sine with its slopes.
        {"sine", table_of("x dy -> y ; -1.5 0.07 -> -1 ; 0 1 -> 0 ; 1.5 0.07 -> 1 ; 2.5 -0.8 -> 0.6")},
        // Two columns of words.
        {"letters", table_of("subject body -> folder ; offer cheap_pills_now -> junk ; for_you buy_cheap_watches -> junk ; "
                             "cheap_offer now_cheap_pills -> junk ; meeting lunch_at_noon -> keep ; noon notes_of_the_meeting -> keep ; "
                             "the_meeting at_noon_you_discussed -> keep")},
    };
    return all;
}

}  // namespace credence::contract
